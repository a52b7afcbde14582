#include "engine/simulate/planned_schedule.h"

#include "engine/schedule/families.h"
#include "engine/simulate/memory.h"
#include "engine/simulate/offload/offload_plan.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace stagelens::simulate {

using base::Bytes;
using base::Nanos;
using schedule::PassKind;
using schedule::Transfer;

namespace {

/// Returns the mean time of a message between neighbouring stages on different devices.
Nanos meanSend(const CostModel &costs, const schedule::Placement &placement)
{
    Nanos sum = 0;
    Nanos count = 0;
    for (int stage = 0; stage < placement.lastStage(); ++stage) {
        const int from = placement.deviceOf(stage);
        const int to = placement.deviceOf(stage + 1);
        if (from == to)
            continue;
        sum += costs.transfer(Transfer::Send, from, to);
        ++count;
    }
    return count == 0 ? 0 : sum / count;
}

/// Returns the time of the overlapped pairs of all stages, divided by that of their passes.
double meanPairScale(const CostModel &costs, const schedule::Placement &placement)
{
    Nanos apart = 0;
    Nanos inPairs = 0;
    for (int stage = 0; stage < placement.stages(); ++stage)
        for (const PassKind kind : {PassKind::F, PassKind::B}) {
            const PassCost &cost = costs.pass(placement.deviceOf(stage), kind, stage);
            apart += cost.duration;
            inPairs += costs.inPair(cost);
        }
    return apart > 0 ? static_cast<double>(inPairs) / static_cast<double>(apart) : costs.pairScale;
}

/// Returns nothing if the schedule fits on every device. If the sum of a device's needs exceeds the limit, a simulation decides
/// whether they occur at the same time.
base::Problems memoryProblems(const model::Experiment &experiment, const schedule::Schedule &schedule, const CostModel &costs)
{
    const Bytes limit = *experiment.schedule.memoryLimit;
    std::optional<timeline::Timeline> timeline;
    base::Problems problems;
    for (int device = 0; device < schedule.devices(); ++device) {
        const MemoryNeeds needs = memoryNeeds(experiment, schedule, device);
        const std::int64_t held = schedule::peakActivations(schedule, device);
        if (needs.fixed + held * needs.activation <= limit)
            continue;
        if (!timeline) {
            auto simulated = simulate(schedule, costs);
            if (!simulated)
                return simulated.error().problems;
            timeline = *std::move(simulated);
        }
        const Bytes required = memoryPeak(experiment, schedule, *timeline, device).total;
        if (required <= limit)
            continue;
        const std::string unit = schedule.placement().chunks() > 1 ? " chunks of microbatches" : " microbatches";
        problems.push_back(
            {"schedule.memory_limit",
             fmt::format("device {} needs {}{} in flight but the limit has room for {}; raise memory_limit to {}, or look at "
                         "the levers for what needs less",
                         device, held, unit, std::max<Bytes>(0, limit - needs.fixed) / std::max<Bytes>(1, needs.activation),
                         required)});
    }
    return problems;
}

} // namespace

std::vector<std::int64_t> activationLimits(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    std::vector<std::int64_t> limits;
    for (int device = 0; device < schedule.devices(); ++device) {
        const MemoryNeeds needs = memoryNeeds(experiment, schedule, device);
        limits.push_back((*experiment.schedule.memoryLimit - needs.fixed) / std::max<Bytes>(1, needs.activation));
    }
    return limits;
}

schedule::Durations durationsOf(const CostModel &costs, const schedule::Schedule &schedule)
{
    const schedule::Placement &placement = schedule.placement();
    schedule::Durations durations;
    durations.ofStage.resize(static_cast<std::size_t>(schedule.stages()));
    const auto set = [&](int device, int stage, PassKind kind) {
        durations.ofStage[static_cast<std::size_t>(stage)][static_cast<std::size_t>(kind)] =
            costs.pass(device, kind, stage).duration / schedule.slices();
    };
    for (int stage = 0; stage < schedule.stages(); ++stage)
        for (const PassKind kind : {PassKind::F, PassKind::B, PassKind::I, PassKind::W})
            set(placement.deviceOf(stage), stage, kind);
    const std::vector<int> first = placement.firstStages();
    for (int device = 0; device < schedule.devices(); ++device)
        for (const PassKind kind : {PassKind::S, PassKind::U, PassKind::T, PassKind::EF, PassKind::EB})
            set(device, first[static_cast<std::size_t>(device)], kind);
    for (int index = 0; index < schedule::kTransferCount; ++index)
        durations.transfers[static_cast<std::size_t>(index)] = costs.transfer(static_cast<Transfer>(index), 0, 0);
    durations.transfers[static_cast<std::size_t>(Transfer::Send)] = meanSend(costs, placement);
    durations.pairScale = meanPairScale(costs, placement);
    return durations;
}

base::Result<Outline> outlineOf(const model::Experiment &experiment)
{
    constexpr int kFewMicrobatches = 2; // one for each direction
    model::Experiment few = experiment;
    few.parallel.microbatches = std::min(experiment.parallel.microbatches, kFewMicrobatches);
    auto schedule = schedule::makeSchedule(few);
    if (!schedule)
        return schedule.error();
    auto costs = plannedCosts(experiment, *schedule);
    if (!costs)
        return costs.error();
    return Outline{*std::move(schedule), *std::move(costs)};
}

namespace {

/// Returns the family's order, without copies.
base::Result<schedule::Schedule> orderFor(const model::Experiment &experiment, const Outline &outline)
{
    schedule::Durations durations = durationsOf(outline.costs, outline.schedule);
    if (experiment.schedule.memoryLimit)
        durations.activationLimit = activationLimits(experiment, outline.schedule);
    return schedule::makeSchedule(experiment, &durations);
}

/// Returns the family's order, for the experiment's own costs if it depends on durations; copies are added to the order that is
/// chosen.
base::Result<schedule::Schedule> scheduleForCosts(const model::Experiment &experiment)
{
    if (!schedule::looksAtDurations(experiment))
        return schedule::makeSchedule(experiment);
    const auto outline = outlineOf(experiment);
    return outline ? orderFor(experiment, *outline) : outline.error();
}

/// Returns the published order if `best` is longer, which is possible because the search uses one duration for all messages.
base::Result<schedule::Schedule> noLongerThanPublished(schedule::Schedule best, model::Experiment experiment)
{
    experiment.schedule.vocabularyOrder = model::VocabularyOrder::Published;
    auto published = scheduleForCosts(experiment);
    if (!published)
        return best;
    const auto timeOf = [&](const schedule::Schedule &schedule) {
        const auto costs = plannedCosts(experiment, schedule);
        const auto timeline = costs ? simulate(schedule, *costs) : costs.error();
        return timeline ? timeline->iteration() : std::numeric_limits<Nanos>::max();
    };
    return timeOf(*published) < timeOf(best) ? *std::move(published) : std::move(best);
}

} // namespace

base::Result<schedule::Schedule> completed(const model::Experiment &experiment, schedule::Schedule order)
{
    const int iterations = experiment.schedule.iterations;
    if (order.iterations() != iterations && (order.iterations() > 1 || !order.isSynchronous()))
        return base::Error::invalid("schedule.iterations", fmt::format("is {}, but the order that is given has {}; give {}",
                                                                       iterations, order.iterations(), order.iterations()));
    if (order.drainsBetweenSteps()) {
        schedule::Schedule step = order.firstStep();
        if (step.repeated(iterations) != order)
            return base::Error::invalid("schedule.iterations",
                                        fmt::format("is {}, but the steps of the order that is given differ from each other; "
                                                    "give one step, without iterations",
                                                    iterations));
        order = std::move(step);
    }
    auto schedule = withOffload(experiment, std::move(order));
    return schedule && schedule->iterations() < iterations ? schedule->repeated(iterations) : schedule;
}

base::Result<schedule::Schedule> orderedSchedule(const model::Experiment &experiment, const Outline &outline)
{
    auto schedule = schedule::looksAtDurations(experiment) ? orderFor(experiment, outline) : schedule::makeSchedule(experiment);
    return schedule ? completed(experiment, *std::move(schedule)) : schedule;
}

base::Result<schedule::Schedule> orderedSchedule(const model::Experiment &experiment)
{
    if (experiment.schedule.memoryLimit && !experiment.hasModel)
        return base::Error::invalid("schedule.memory_limit",
                                    "a limit in bytes needs a model; give one or leave memory_limit out");
    auto schedule = scheduleForCosts(experiment);
    if (schedule && schedule->runs(schedule::PassKind::S) &&
        experiment.schedule.vocabularyOrder == model::VocabularyOrder::Best)
        schedule = noLongerThanPublished(*std::move(schedule), experiment);
    return schedule ? completed(experiment, *std::move(schedule)) : schedule;
}

base::Result<schedule::Schedule> plannedSchedule(const model::Experiment &experiment)
{
    auto schedule = orderedSchedule(experiment);
    if (schedule && experiment.schedule.offloadOptimizer && !schedule->isSynchronous())
        return base::Error::invalid("schedule.offload_optimizer", std::string(kVersionsOnHost));
    if (schedule && usesHost(experiment, *schedule)) {
        std::vector<Bytes> hostBytes;
        for (int device = 0; device < schedule->devices(); ++device)
            hostBytes.push_back(peakHostBytes(experiment, *schedule, device));
        if (auto fits = checkHostMemory(experiment, hostBytes); !fits)
            return fits.error();
    }
    if (!schedule || !experiment.schedule.memoryLimit)
        return schedule;
    const auto costs = makeCostModel(experiment, *schedule);
    if (!costs)
        return costs.error();
    if (base::Problems problems = memoryProblems(experiment, *schedule, *costs); !problems.empty())
        return base::Error::invalid(std::move(problems));
    return schedule;
}

} // namespace stagelens::simulate
