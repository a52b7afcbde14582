#include "engine/model/names.h"

#include "engine/base/text.h"

#include <fmt/format.h>
#include <utility>

namespace stagelens::model {
namespace {

using Module = std::pair<bool RecomputeModules::*, std::string_view>;
constexpr std::array<Module, 3> kModules{{{&RecomputeModules::norms, "norms"},
                                          {&RecomputeModules::activation, "activation"},
                                          {&RecomputeModules::attention, "attention"}}};

} // namespace

std::string_view name(Collective operation) // of hardware.h
{
    return name<Collective>(operation);
}

std::string text(const RecomputeModules &modules)
{
    std::string text;
    for (const auto &[member, word] : kModules)
        if (modules.*member)
            text += fmt::format("{}{}", text.empty() ? "" : ",", word);
    return text.empty() ? "none" : text;
}

std::string vocabularyKindText(const ScheduleChoice &schedule)
{
    const std::string_view word = name(schedule.vocabularyKind);
    return schedule.vocabularyKind == VocabularyKind::Chunked ? fmt::format("{}={}", word, schedule.logitChunks)
                                                              : std::string(word);
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

} // namespace stagelens::model
