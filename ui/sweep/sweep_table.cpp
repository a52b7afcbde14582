#include "ui/sweep/sweep_table.h"

#include "engine/model/names.h"
#include "ui/words/words.h"

#include <nlohmann/json.hpp>

namespace stagelens::ui {
namespace {

using nlohmann::ordered_json;

ordered_json rowOf(const SweepResult &result)
{
    const model::Experiment &plan = result.entry->plan;
    const service::SweepPoint &point = *result.point;
    const auto ofModel = [&](int value) { return plan.hasModel ? ordered_json(value) : ordered_json(); };
    const auto figure = [&](auto value, bool known) { return known && !point.error ? ordered_json(value) : ordered_json(); };
    const auto given = [&](std::optional<double> value) { return figure(value.value_or(0), value.has_value()); };
    const std::string reason = utf8(impossibility(point));
    return {{"vocabulary_size", ofModel(plan.model.vocabularySize)},
            {"devices", plan.parallel.devices},
            {"microbatches", plan.parallel.microbatches},
            {"microbatch_size", ofModel(plan.parallel.microbatchSize)},
            {"layers", ofModel(plan.model.layers)},
            {"sequence", ofModel(plan.model.sequence)},
            {"schedule", plan.schedule.family},
            {"vocabulary", model::name(plan.schedule.vocabulary)},
            {"kind", timeline::name(point.kind)},
            {"iteration_ns", figure(point.iteration, true)},
            {"bubble_ratio", given(bubbleOf(point))},
            {"peak_memory_bytes", figure(point.peakMemory, point.peakMemory > 0)},
            {"tokens_per_second", given(point.tokensPerSecond)},
            {"mfu", given(point.mfu)},
            {"run", point.run != 0 ? ordered_json(point.run) : ordered_json()},
            {"impossible", reason.empty() ? ordered_json() : ordered_json(reason)}};
}

/// RFC 4180: what holds a comma, a quote or a line break stands in quotes.
std::string cell(const ordered_json &value)
{
    if (value.is_null())
        return {};
    if (!value.is_string())
        return value.dump();
    std::string text = value.get<std::string>();
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2))
        text.insert(at, 1, '"');
    return '"' + text + '"';
}

/// The cells of a row, or their names, as a line.
template <typename Text>
std::string line(const ordered_json &row, Text text)
{
    std::string cells;
    const char *separator = "";
    for (const auto &[key, value] : row.items()) {
        cells += separator + text(key, value);
        separator = ",";
    }
    return cells + '\n';
}

} // namespace

std::string sweepCsv(std::span<const SweepResult> results)
{
    std::string text;
    for (const SweepResult &result : results) {
        const ordered_json row = rowOf(result);
        if (text.empty())
            text = line(row, [](const std::string &key, const ordered_json &) { return key; });
        text += line(row, [](const std::string &, const ordered_json &value) { return cell(value); });
    }
    return text;
}

std::string sweepJson(std::span<const SweepResult> results)
{
    auto rows = ordered_json::array();
    for (const SweepResult &result : results)
        rows.push_back(rowOf(result));
    return rows.dump(2) + '\n';
}

} // namespace stagelens::ui
