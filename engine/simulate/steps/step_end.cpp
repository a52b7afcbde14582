#include "engine/simulate/steps/step_end.h"

#include <algorithm>

namespace stagelens::simulate {

using base::Nanos;
using timeline::AnchoredKind;

namespace {

/// Returns the end of a device's passes.
Nanos passEnd(const timeline::Lane &lane)
{
    return lane.size() > 0 ? lane.end.back() : 0;
}

/// Returns when the device has ended everything of the step, but for the average of weights.
Nanos ownEnd(const timeline::Lane &lane)
{
    Nanos end = passEnd(lane);
    if (lane.tailEnd > lane.tailBegin)
        end = std::max(end, lane.tailEnd);
    for (const timeline::AnchoredSlice &slice : lane.anchored)
        if (slice.kind != AnchoredKind::AverageParameters)
            end = std::max(end, slice.end);
    return end;
}

/// Returns when the device has ended everything of the step.
Nanos endOf(const timeline::Lane &lane)
{
    Nanos end = ownEnd(lane);
    for (const timeline::AnchoredSlice &slice : lane.anchored)
        end = std::max(end, slice.end);
    return end;
}

Nanos addExchange(timeline::Lane &lane, const CostModel &costs, int device, AnchoredKind kind, Nanos begin)
{
    const Exchange &exchange = costs.exchange(device, kind);
    if (exchange.duration > 0 || exchange.bytes > 0)
        lane.anchored.push_back({begin, begin + exchange.duration, exchange.bytes, kind});
    return begin + exchange.duration;
}

/// Returns when the sums of all devices have arrived; 0 if the optimizer waits for none.
Nanos sumsArrived(const CostModel &costs, const std::vector<Nanos> &begins)
{
    Nanos arrived = 0;
    for (std::size_t device = 0; costs.sumsOverDevices && device < begins.size(); ++device)
        arrived = std::max(arrived, begins[device] + costs.optimizerSums(static_cast<int>(device)) + costs.tableSums);
    return arrived;
}

} // namespace

void addStepEnd(timeline::Timeline &timeline, const CostModel &costs, const std::vector<Nanos> &ends)
{
    const bool isAlone = costs.averageEvery > 1; // of other replicas, until the weights are averaged
    std::vector<Nanos> reduced;
    for (int device = 0; device < timeline.devices(); ++device) {
        timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        const Nanos ended = isAlone ? passEnd(lane) : ends[static_cast<std::size_t>(device)];
        const Nanos summed = addExchange(lane, costs, device, AnchoredKind::SumReplicated, ended);
        reduced.push_back(addExchange(lane, costs, device, AnchoredKind::ReduceGradients, summed));
    }
    if (costs.sumsGradients() && costs.limitsNorm)
        std::ranges::fill(reduced, *std::ranges::max_element(reduced));
    const Nanos sums = sumsArrived(costs, reduced);
    Nanos alone = 0; // the period of a step without the average
    for (int device = 0; device < timeline.devices(); ++device) {
        timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        Nanos now = reduced[static_cast<std::size_t>(device)];
        if (const Nanos optimizer = costs.updates ? 0 : costs.optimizer(device); optimizer > 0) {
            lane.tailBegin = now;
            lane.tailEnd = now = std::max(now + costs.optimizerSums(device), sums) + optimizer - costs.optimizerSums(device);
        }
        Nanos gathered = 0;
        if (costs.gathersFirst)
            gathered = costs.exchange(device, AnchoredKind::GatherParameters).duration;
        else
            addExchange(lane, costs, device, AnchoredKind::GatherParameters, now);
        if (isAlone && lane.size() > 0) {
            alone = std::max(alone, ownEnd(lane) - lane.begin.front());
            // The other replicas must have updated their weights, too.
            const Nanos others = ends[static_cast<std::size_t>(device)] + now - passEnd(lane);
            addExchange(lane, costs, device, AnchoredKind::AverageParameters, std::max(now, others));
        }
        if (costs.sumsGradients() && lane.size() > 0)
            timeline.period = std::max(timeline.period, endOf(lane) + gathered - lane.begin.front());
    }
    if (isAlone)
        timeline.period = alone + (timeline.period - alone) / costs.averageEvery;
}

void addFirstGathers(timeline::Timeline &timeline, const CostModel &costs)
{
    if (!costs.gathersFirst)
        return;
    const auto gather = [&](int device) { return costs.exchange(device, AnchoredKind::GatherParameters).duration; };
    Nanos shift = 0;
    for (int device = 0; device < timeline.devices(); ++device)
        if (const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)]; lane.size() > 0)
            shift = std::max(shift, gather(device) - lane.begin.front());
    for (int device = 0; device < timeline.devices(); ++device) {
        timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        for (std::vector<Nanos> *times : {&lane.begin, &lane.end})
            for (Nanos &time : *times)
                time += shift;
        for (timeline::AnchoredSlice &slice : lane.anchored) {
            slice.begin += shift;
            slice.end += shift;
        }
        if (lane.tailEnd > lane.tailBegin) {
            lane.tailBegin += shift;
            lane.tailEnd += shift;
        }
        addExchange(lane, costs, device, AnchoredKind::GatherParameters, 0);
        std::ranges::rotate(lane.anchored, lane.anchored.end() - (gather(device) > 0 ? 1 : 0));
    }
}

Nanos slowestPeriod(const timeline::Timeline &timeline, const CostModel &costs, const std::vector<Nanos> &ends)
{
    Nanos period = 0;
    for (const ReplicaClass &replicas : costs.classes) {
        timeline::Timeline own; // each device's passes as one, which is all that the end of a step looks at
        for (const timeline::Lane &lane : timeline.lanes)
            if (timeline::Lane &outline = own.lanes.emplace_back(); lane.size() > 0)
                outline.push(lane.pass.front(), lane.begin.front(), lane.end.back());
        addStepEnd(own, costs.ofReplicas(replicas), ends);
        period = std::max(period, own.period);
    }
    return period;
}

Nanos exposedExchange(const timeline::Timeline &timeline)
{
    Nanos without = 0;
    for (const timeline::Lane &lane : timeline.lanes) {
        const bool isAverage = std::ranges::any_of(
            lane.anchored, [](const timeline::AnchoredSlice &slice) { return slice.kind == AnchoredKind::AverageParameters; });
        const Nanos end = isAverage ? ownEnd(lane) : passEnd(lane) + (lane.tailEnd - lane.tailBegin);
        if (lane.size() > 0) // of the last step, if there are several
            without =
                std::max(without, end - lane.begin[lane.size() - lane.size() / static_cast<std::size_t>(timeline.iterations)]);
    }
    return std::max<Nanos>(0, timeline.period - without);
}

} // namespace stagelens::simulate
