// The words of the command line and of JSON for the enumerations of the model.
#pragma once

#include "engine/model/experiment.h"
#include "engine/model/hardware.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::model {

/// The words of an enumeration, in its order.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kWords{};
template <>
inline constexpr std::array<std::string_view, 2> kWords<ModelFamily>{"gpt", "llama"};
template <>
inline constexpr std::array<std::string_view, 4> kWords<DataType>{"fp32", "bf16", "fp16", "fp8"};
template <>
inline constexpr auto kWords<VocabularyMethod> = [] {
    std::array<std::string_view, kVocabularyChoices.size()> words;
    std::ranges::transform(kVocabularyChoices, words.begin(), &VocabularyTraits::name);
    return words;
}();
template <>
inline constexpr std::array<std::string_view, 2> kWords<VocabularyOrder>{"published", "best"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<VocabularyKind>{"full", "recompute-logits", "chunked"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<Recompute>{"none", "selective", "full"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<OffloadLanes>{"half", "full"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<Attention>{"flash", "materialised"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<ZeroGradients>{"deferred", "eager"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<ZeroParameters>{"resident", "reshard", "keep-until-backward"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<SliceCut>{"work", "length"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<RouterScore>{"softmax", "sigmoid"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<DropRule>{"gate", "position"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<ContextMethod>{"all-gather", "ring", "ulysses"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<VocabularySharding>{"rank", "device"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<ExpertDispatch>{"expert", "node"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<DispatchPrecision>{"same", "fp8"};
template <>
inline constexpr std::array<std::string_view, 4> kWords<PackedPrecision>{"same", "bf16", "fp8", "int8"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<RunMode>{"live", "virtual-clock"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<Collectives>{"overlapped", "blocking"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<UniformPer>{"stage", "device"};
template <>
inline constexpr std::array<std::string_view, 4> kWords<Collective>{"all-reduce", "reduce-scatter", "all-gather", "all-to-all"};

/// An enumeration that has words.
template <class Enum>
concept Named = !kWords<Enum>.empty();

template <Named Enum>
[[nodiscard]] constexpr std::string_view name(Enum value)
{
    return kWords<Enum>[static_cast<std::size_t>(value)];
}
/// Returns the value with that name, or nothing.
template <Named Enum>
[[nodiscard]] constexpr std::optional<Enum> parse(std::string_view text)
{
    const auto found = std::ranges::find(kWords<Enum>, text);
    return found == kWords<Enum>.end() ? std::nullopt : std::optional(static_cast<Enum>(found - kWords<Enum>.begin()));
}
/// Returns every word of an enumeration, in order (for messages and lists).
template <Named Enum>
[[nodiscard]] std::vector<std::string> names()
{
    return {kWords<Enum>.begin(), kWords<Enum>.end()};
}

/// "none", or the modules with commas: "norms,activation,attention".
[[nodiscard]] std::string text(const RecomputeModules &modules);
/// Returns what the output layer keeps, with the chunks: "chunked=8".
[[nodiscard]] std::string vocabularyKindText(const ScheduleChoice &schedule);
/// Returns the modules of such a text, in any order, or nothing.
[[nodiscard]] std::optional<RecomputeModules> parseModules(std::string_view text);

} // namespace stagelens::model
