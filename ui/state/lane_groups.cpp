#include "ui/state/lane_groups.h"

#include "engine/operators/recompute.h"
#include "engine/service/predictions/prediction.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/simulate/costs/pass_legs.h"
#include "ui/words/words.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace stagelens::ui {

namespace {

/// Whether layers of each stage, or operators of them, run again; empty: of none.
std::vector<bool> recomputedStages(const model::Experiment &plan)
{
    const std::vector<int> &layers = plan.parallel.stageLayers;
    const std::vector<int> whole = operators::recomputedLayers(plan.schedule, layers);
    const bool arePartly = plan.schedule.recompute == model::Recompute::Selective || plan.schedule.recomputeModules.any();
    std::vector<bool> again;
    for (std::size_t stage = 0; stage < layers.size(); ++stage)
        again.push_back(whole[stage] > 0 || (arePartly && layers[stage] > 0));
    return std::ranges::find(again, true) == again.end() ? std::vector<bool>() : again;
}

/// Reads the hardware when the first pass is asked for: most predictions are never looked at so closely.
auto legsOf(const service::PredictionPtr &prediction)
{
    struct Finder {
        bool isMade = false;
        std::unique_ptr<simulate::PassLegs> legs; ///< null: the hardware cannot be read
    };
    return [prediction, finder = std::make_shared<Finder>()](int device, const schedule::Pass &pass, base::Nanos duration) {
        if (!std::exchange(finder->isMade, true))
            if (auto legs = service::legsOf(*prediction))
                finder->legs = std::move(legs).value();
        return finder->legs ? finder->legs->of(device, pass, duration) : std::vector<simulate::PassLeg>();
    };
}

} // namespace

LaneGroup predictedGroup(const service::PredictionPtr &prediction)
{
    LaneGroup group;
    group.timeline = prediction->timeline;
    group.schedule = prediction->schedule;
    group.metrics = prediction->metrics;
    group.caption = caption(timeline::Provenance::Predicted);
    group.capacity = prediction->memoryCapacity;
    group.recomputedStages = recomputedStages(prediction->experiment);
    group.costs = prediction->costs;
    const model::ParallelPlan &parallel = prediction->experiment.parallel;
    group.ranks = parallel.tensor * parallel.context * parallel.replicas;
    group.mesh = layout::meshOf(parallel, prediction->timeline->devices());
    group.memory = prediction->memory;
    if (std::holds_alternative<model::HardwarePreset>(prediction->experiment.cost.source))
        group.legs = legsOf(prediction);
    return group;
}

base::Nanos recomputedTime(const LaneGroup &group, timeline::SliceId slice)
{
    if (!group.costs)
        return 0;
    const timeline::Lane &lane = laneOf(group, slice.device);
    const schedule::Pass &pass = lane.pass[slice.index];
    const simulate::PassCost &cost = group.costs->pass(slice.device, pass.kind, pass.stage);
    const auto taken = static_cast<double>(lane.end[slice.index] - lane.begin[slice.index]);
    return cost.duration > 0 ? std::llround(taken * static_cast<double>(cost.recomputed) / static_cast<double>(cost.duration))
                             : 0;
}

std::shared_ptr<const simulate::MemoryProfiles> memoryOf(const service::RunSnapshot &run)
{
    const store::RunRecord &record = run.record;
    if (!record.experiment.hasModel || !run.schedule || !record.timeline)
        return nullptr;
    std::vector<base::Bytes> peaks = record.metrics ? record.metrics->peakMemory : std::vector<base::Bytes>();
    if (peaks.size() != record.timeline->lanes.size()) { // of an imported run nothing was measured but times
        peaks.clear();
        for (int device = 0; device < record.timeline->devices(); ++device)
            peaks.push_back(simulate::memoryPeak(record.experiment, *run.schedule, *record.timeline, device).total);
    }
    return std::make_shared<const simulate::MemoryProfiles>(std::move(peaks), record.experiment, run.schedule, record.timeline);
}

std::shared_ptr<const simulate::MemoryProfiles> heldMicrobatches(timeline::TimelinePtr timeline, base::Bytes unit)
{
    const auto profileOf = [timeline, unit](int device) {
        const timeline::Lane &lane = timeline->lanes[static_cast<std::size_t>(device)];
        const std::size_t stages = timeline->stages.empty() ? 1 : timeline->stages[static_cast<std::size_t>(device)].size();
        const base::Bytes share = unit / static_cast<base::Bytes>(std::max<std::size_t>(stages, 1));
        simulate::MemoryProfile profile;
        profile.steps.emplace_back();
        const auto add = [&profile](base::Nanos time, base::Bytes change) {
            simulate::MemoryStep step = profile.steps.back();
            step.bytes[static_cast<std::size_t>(simulate::MemoryCategory::Activations)] += change;
            step.time = time;
            if (time == profile.steps.back().time)
                profile.steps.back() = step;
            else
                profile.steps.push_back(step);
        };
        for (std::size_t i = 0; i < lane.size(); ++i)
            if (const int change = schedule::activationChange(lane.pass[i].kind); change != 0)
                add(change > 0 ? lane.begin[i] : lane.end[i], change * share);
        return profile;
    };
    std::vector<base::Bytes> peaks;
    for (int device = 0; device < timeline->devices(); ++device)
        peaks.push_back(profileOf(device).peak());
    return std::make_shared<const simulate::MemoryProfiles>(std::move(peaks), profileOf);
}

simulate::MemoryProfiles::Maker unshardedMemory(const model::Experiment &experiment,
                                                std::shared_ptr<const schedule::Schedule> schedule,
                                                timeline::TimelinePtr timeline)
{
    if (!experiment.hasModel || experiment.parallel.zero == 0 || experiment.parallel.gradientRanks() == 1)
        return nullptr;
    model::Experiment whole = experiment;
    whole.parallel.zero = 0;
    whole.parallel.shardReplicas = 0;
    return [whole, schedule = std::move(schedule), timeline = std::move(timeline)](int device) {
        return simulate::memoryProfile(whole, *schedule, *timeline, device);
    };
}

} // namespace stagelens::ui
