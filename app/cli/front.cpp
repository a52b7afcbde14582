#include "app/cli/front.h"

#include "app/cli/table.h"
#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/schedule/families.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagelens::cli {

namespace {

using nlohmann::ordered_json;
using service::Candidate;

/// "2 each", or what --stage-layers takes.
std::string layersText(const std::vector<int> &layers)
{
    if (std::ranges::all_of(layers, [&](int count) { return count == layers.front(); }))
        return fmt::format("{} each", layers.front());
    std::vector<std::string> words;
    for (const int count : layers)
        words.push_back(std::to_string(count));
    return base::join(words, "/");
}

std::string limitText(const service::SearchResult &search)
{
    if (!search.limit)
        return "no memory limit is known; the fastest is chosen";
    const std::string bytes = base::bytesText(*search.limit);
    return search.isCapacity ? "the fastest within " + bytes + ", the hardware's capacity, is chosen"
                             : "the fastest within the limit of " + bytes + " is chosen";
}

} // namespace

ordered_json frontJson(const service::SearchResult &search)
{
    auto front = ordered_json::array();
    for (std::size_t i = 0; i < search.front.size(); ++i) {
        const Candidate &plan = search.front[i];
        ordered_json row = {{"family", plan.schedule.family},
                            {"vocabulary", model::name(plan.schedule.vocabulary)},
                            {"vocabulary_order", model::name(plan.schedule.vocabularyOrder)},
                            {"chunks", model::stagesPerDevice(plan.schedule)}};
        if (plan.schedule.groupSize)
            row["group_size"] = *plan.schedule.groupSize;
        if (plan.schedule.waves)
            row["waves"] = *plan.schedule.waves;
        row["stage_layers"] = plan.parallel.stageLayers;
        row["iteration_ns"] = plan.iteration;
        row["makespan_ns"] = plan.makespan;
        row["lower_bound_ns"] = plan.lowerBound;
        row["peak_memory_bytes"] = plan.peakMemory ? ordered_json(*plan.peakMemory) : ordered_json();
        row["peak_activation_microbatches"] = plan.peakActivations;
        row["chosen"] = search.chosen == i;
        front.push_back(std::move(row));
    }
    return front;
}

void printFront(std::ostream &out, const service::SearchResult &search)
{
    const bool hasBytes = !search.front.empty() && search.front.front().peakMemory;
    Table table({"", "family", "vocabulary", "order", "chunks", "layers of stages", "iteration", "above lower bound",
                 hasBytes ? "peak memory" : "microbatches held"});
    for (std::size_t i = 0; i < search.front.size(); ++i) {
        const Candidate &plan = search.front[i];
        table.add(
            {search.chosen == i ? "*" : "", plan.schedule.family, std::string(model::name(plan.schedule.vocabulary)),
             model::leavesVocabularyOrderOpen(plan.schedule) ? std::string(model::name(plan.schedule.vocabularyOrder)) : "-",
             std::to_string(model::stagesPerDevice(plan.schedule)), layersText(plan.parallel.stageLayers),
             timeText(plan.iteration), gapText(plan.makespan, plan.lowerBound),
             hasBytes ? base::bytesText(*plan.peakMemory) : fmt::format("{:g}", plan.peakActivations)});
    }
    table.print(out);
    out << "\n* " << limitText(search) << ". " << search.tried << " plans simulated, " << search.beaten
        << " beaten by their bounds, " << search.duplicates << " the same as another, " << search.refused
        << " refused by their family";
    if (search.leftOut > 0)
        out << ", " << search.leftOut << " left out because they have too many passes for a search";
    out << ".\n";
    if (!hasBytes)
        out << "Memory: most microbatches whose activations a device holds, in units of its whole share of layers; "
               "parameters, which two replicas hold twice, are not counted.\n";
}

std::string choiceText(const model::ScheduleChoice &choice)
{
    return fmt::format("{}, vocabulary {}{}, chunks {}", choice.family, model::name(choice.vocabulary),
                       schedule::hasBestOrder(choice) ? " in the best order" : "", model::stagesPerDevice(choice));
}

} // namespace stagelens::cli
