#include "engine/model/names.h"

#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

namespace stagelens::model {
namespace {

constexpr std::array<std::string_view, 2> kFamilies{"gpt", "llama"};
constexpr std::array<std::string_view, 3> kDataTypes{"fp32", "bf16", "fp16"};
constexpr auto kVocabularyNames = [] {
    std::array<std::string_view, kVocabularyChoices.size()> names;
    std::ranges::transform(kVocabularyChoices, names.begin(), &VocabularyTraits::name);
    return names;
}();
constexpr std::array<std::string_view, 2> kVocabularyOrders{"published", "best"};
constexpr std::array<std::string_view, 3> kRecomputes{"none", "selective", "full"};
constexpr std::array<std::string_view, 2> kOffloadLanes{"half", "full"};
using Module = std::pair<bool RecomputeModules::*, std::string_view>;
constexpr std::array<Module, 3> kModules{{{&RecomputeModules::norms, "norms"},
                                          {&RecomputeModules::activation, "activation"},
                                          {&RecomputeModules::attention, "attention"}}};
constexpr std::array<std::string_view, 2> kAttentions{"flash", "materialised"};
constexpr std::array<std::string_view, 2> kZeroGradients{"deferred", "eager"};
constexpr std::array<std::string_view, 3> kZeroParameters{"resident", "reshard", "keep-until-backward"};
constexpr std::array<std::string_view, 2> kSliceCuts{"work", "length"};
constexpr std::array<std::string_view, 2> kRouterScores{"softmax", "sigmoid"};
constexpr std::array<std::string_view, 2> kDropRules{"gate", "position"};
constexpr std::array<std::string_view, 3> kContextMethods{"all-gather", "ring", "ulysses"};
constexpr std::array<std::string_view, 2> kRunModes{"live", "virtual-clock"};
constexpr std::array<std::string_view, 2> kCollectives{"overlapped", "blocking"};
constexpr std::array<std::string_view, 2> kUniformPers{"stage", "device"};
constexpr std::array<std::string_view, 4> kOperations{"all-reduce", "reduce-scatter", "all-gather", "all-to-all"};

// One overload an enumeration, so that a template can find the words of its parameter.
constexpr std::span<const std::string_view> words(ModelFamily)
{
    return kFamilies;
}
constexpr std::span<const std::string_view> words(DataType)
{
    return kDataTypes;
}
constexpr std::span<const std::string_view> words(VocabularyMethod)
{
    return kVocabularyNames;
}
constexpr std::span<const std::string_view> words(VocabularyOrder)
{
    return kVocabularyOrders;
}
constexpr std::span<const std::string_view> words(Recompute)
{
    return kRecomputes;
}
constexpr std::span<const std::string_view> words(OffloadLanes)
{
    return kOffloadLanes;
}
constexpr std::span<const std::string_view> words(Attention)
{
    return kAttentions;
}
constexpr std::span<const std::string_view> words(ZeroGradients)
{
    return kZeroGradients;
}
constexpr std::span<const std::string_view> words(ZeroParameters)
{
    return kZeroParameters;
}
constexpr std::span<const std::string_view> words(SliceCut)
{
    return kSliceCuts;
}
constexpr std::span<const std::string_view> words(RouterScore)
{
    return kRouterScores;
}
constexpr std::span<const std::string_view> words(DropRule)
{
    return kDropRules;
}
constexpr std::span<const std::string_view> words(ContextMethod)
{
    return kContextMethods;
}
constexpr std::span<const std::string_view> words(RunMode)
{
    return kRunModes;
}
constexpr std::span<const std::string_view> words(Collectives)
{
    return kCollectives;
}
constexpr std::span<const std::string_view> words(UniformPer)
{
    return kUniformPers;
}
constexpr std::span<const std::string_view> words(Collective)
{
    return kOperations;
}

template <class Enum>
std::string_view word(Enum value)
{
    return words(value)[static_cast<std::size_t>(value)];
}

} // namespace

std::string_view name(ModelFamily family)
{
    return word(family);
}
std::string_view name(DataType type)
{
    return word(type);
}
std::string_view name(VocabularyOrder order)
{
    return word(order);
}
std::string_view name(Recompute recompute)
{
    return word(recompute);
}
std::string_view name(OffloadLanes lanes)
{
    return word(lanes);
}
std::string text(const RecomputeModules &modules)
{
    std::string text;
    for (const auto &[member, word] : kModules)
        if (modules.*member)
            text += base::concat(text.empty() ? "" : ",", word);
    return text.empty() ? "none" : text;
}
std::optional<RecomputeModules> parseModules(std::string_view text)
{
    RecomputeModules modules;
    if (text == "none")
        return modules;
    for (const std::string_view part : base::split(text, ',')) {
        const auto known = std::ranges::find(kModules, base::trim(part), &Module::second);
        if (known == kModules.end())
            return std::nullopt;
        modules.*known->first = true;
    }
    return modules;
}
std::string_view name(Attention attention)
{
    return word(attention);
}
std::string_view name(ZeroGradients when)
{
    return word(when);
}
std::string_view name(ZeroParameters how)
{
    return word(how);
}
std::string_view name(SliceCut cut)
{
    return word(cut);
}
std::string_view name(RouterScore score)
{
    return word(score);
}

std::string_view name(DropRule rule)
{
    return word(rule);
}

std::string_view name(ContextMethod method)
{
    return word(method);
}
std::string_view name(RunMode mode)
{
    return word(mode);
}
std::string_view name(Collectives collectives)
{
    return word(collectives);
}
std::string_view name(UniformPer per)
{
    return word(per);
}
std::string_view name(Collective operation)
{
    return word(operation);
}

template <class Enum>
std::optional<Enum> parse(std::string_view text)
{
    const auto all = words(Enum{});
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] == text)
            return static_cast<Enum>(i);
    }
    return std::nullopt;
}

template <class Enum>
std::vector<std::string> names()
{
    const auto all = words(Enum{});
    return {all.begin(), all.end()};
}

template std::optional<ModelFamily> parse(std::string_view);
template std::optional<DataType> parse(std::string_view);
template std::optional<VocabularyMethod> parse(std::string_view);
template std::optional<VocabularyOrder> parse(std::string_view);
template std::optional<Recompute> parse(std::string_view);
template std::optional<OffloadLanes> parse(std::string_view);
template std::optional<Attention> parse(std::string_view);
template std::optional<ZeroGradients> parse(std::string_view);
template std::optional<ZeroParameters> parse(std::string_view);
template std::optional<SliceCut> parse(std::string_view);
template std::optional<RouterScore> parse(std::string_view);
template std::optional<DropRule> parse(std::string_view);
template std::optional<ContextMethod> parse(std::string_view);
template std::optional<RunMode> parse(std::string_view);
template std::optional<Collectives> parse(std::string_view);
template std::optional<UniformPer> parse(std::string_view);
template std::optional<Collective> parse(std::string_view);
template std::vector<std::string> names<ModelFamily>();
template std::vector<std::string> names<DataType>();
template std::vector<std::string> names<VocabularyMethod>();
template std::vector<std::string> names<VocabularyOrder>();
template std::vector<std::string> names<Recompute>();
template std::vector<std::string> names<OffloadLanes>();
template std::vector<std::string> names<Attention>();
template std::vector<std::string> names<ZeroGradients>();
template std::vector<std::string> names<ZeroParameters>();
template std::vector<std::string> names<SliceCut>();
template std::vector<std::string> names<RouterScore>();
template std::vector<std::string> names<DropRule>();
template std::vector<std::string> names<ContextMethod>();
template std::vector<std::string> names<RunMode>();
template std::vector<std::string> names<Collectives>();
template std::vector<std::string> names<UniformPer>();
template std::vector<std::string> names<Collective>();

} // namespace stagelens::model
