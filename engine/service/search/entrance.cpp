#include "engine/service/search/entrance.h"

#include "engine/model/family_shape.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/families.h"
#include "engine/service/search/search_space.h"
#include "engine/simulate/costs/what_if_costs.h"
#include "engine/simulate/device_needs.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagelens::service {
namespace {

using base::Bytes;

/// Approximately how often a family whose order depends on durations places each pass.
constexpr double kOrdersTried = 8;

double workOf(const model::Experiment &plan, const schedule::Family &family)
{
    const double ofLayers = (family.splitsBackward ? 3 : 2) * model::stagesPerDevice(plan.schedule);
    const auto ofVocabulary = static_cast<double>(schedule::vocabularyPasses(plan.schedule.vocabulary).size());
    return (ofLayers + ofVocabulary) * plan.parallel.devices * plan.parallel.microbatches *
           (schedule::looksAtDurations(plan) ? kOrdersTried : 1.0);
}

/// Memory that every order takes: parameters, and one microbatch on the way.
double leastMemory(const model::Experiment &plan, const simulate::Outline &outline)
{
    if (!plan.hasModel)
        return 0;
    simulate::DeviceNeeds needsOf(plan, outline.schedule);
    Bytes least = 0;
    for (int device = 0; device < outline.schedule.devices(); ++device) {
        const simulate::MemoryNeeds needs = needsOf.of(device, plan.parallel.stageLayers);
        least = std::max(least, needs.parameters + needs.activation);
    }
    return static_cast<double>(least);
}

/// Adds one cut of a plan.
void enterCut(Entrance &entrance, const model::Experiment &plan, const simulate::Outline &outline,
              const std::optional<Bytes> &limit)
{
    const schedule::Family &family = *schedule::findFamily(plan.schedule.family);
    const auto costs = simulate::withWhatIfs(outline.costs, plan, outline.schedule);
    if (!costs) {
        entrance.refusals.push_back(costs.error().problems);
        return;
    }
    const double memory = leastMemory(plan, outline);
    if (limit && memory > static_cast<double>(*limit)) {
        entrance.tooLarge.push_back({plan.parallel.stageLayers, static_cast<Bytes>(memory)});
        return;
    }
    const simulate::OrderTraits traits{family.splitsBackward, plan.schedule.overlappedPairs};
    entrance.entries.push_back({plan, simulate::lowerBoundOfShape(outline.schedule, *costs, plan.parallel.microbatches, traits),
                                memory, workOf(plan, family)});
}

} // namespace

Entrance entranceOf(model::Experiment plan, const std::optional<Bytes> &limit)
{
    Entrance entrance;
    const auto refused = [&entrance](const base::Error &error) {
        entrance.refusals.push_back(error.problems);
        return std::move(entrance);
    };
    if (base::Problems problems = model::validate(plan); !problems.empty()) {
        entrance.refusals.push_back(std::move(problems));
        return entrance;
    }
    const bool isCutGiven = !plan.parallel.stageLayers.empty();
    plan.parallel.stageLayers = operators::stageLayers(plan);
    const auto outline = simulate::outlineOf(plan);
    if (!outline)
        return refused(outline.error());
    enterCut(entrance, plan, *outline, limit);
    if (isCutGiven)
        return entrance;
    std::vector<std::vector<int>> entered{plan.parallel.stageLayers};
    const std::array cuts{balancedStageLayers(plan, *outline), leastMemoryStageLayers(plan, *outline)};
    for (const std::vector<int> &cut : cuts) {
        if (cut.empty() || std::ranges::find(entered, cut) != entered.end())
            continue;
        plan.parallel.stageLayers = cut;
        auto costs = simulate::plannedCosts(plan, outline->schedule);
        if (!costs)
            return refused(costs.error());
        enterCut(entrance, plan, {outline->schedule, *std::move(costs)}, limit);
        entered.push_back(cut);
    }
    return entrance;
}

} // namespace stagelens::service
