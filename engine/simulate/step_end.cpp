#include "engine/simulate/step_end.h"

#include <algorithm>

namespace stagelens::simulate {

using base::Nanos;
using timeline::AnchoredKind;

namespace {

/// Returns when the device has ended everything of the step.
Nanos endOf(const timeline::Lane &lane)
{
    Nanos end = lane.size() > 0 ? lane.end.back() : 0;
    if (lane.tailEnd > lane.tailBegin)
        end = std::max(end, lane.tailEnd);
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
    std::vector<Nanos> reduced;
    for (int device = 0; device < timeline.devices(); ++device) {
        timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        const Nanos summed =
            addExchange(lane, costs, device, AnchoredKind::SumReplicated, ends[static_cast<std::size_t>(device)]);
        reduced.push_back(addExchange(lane, costs, device, AnchoredKind::ReduceGradients, summed));
    }
    if (costs.sumsGradients() && costs.limitsNorm)
        std::ranges::fill(reduced, *std::ranges::max_element(reduced));
    const Nanos sums = sumsArrived(costs, reduced);
    for (int device = 0; device < timeline.devices(); ++device) {
        timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        Nanos now = reduced[static_cast<std::size_t>(device)];
        if (const Nanos optimizer = costs.optimizer(device); optimizer > 0) {
            lane.tailBegin = now;
            lane.tailEnd = now = std::max(now + costs.optimizerSums(device), sums) + optimizer - costs.optimizerSums(device);
        }
        Nanos gathered = 0;
        if (costs.gathersFirst)
            gathered = costs.exchange(device, AnchoredKind::GatherParameters).duration;
        else
            addExchange(lane, costs, device, AnchoredKind::GatherParameters, now);
        if (costs.sumsGradients() && lane.size() > 0)
            timeline.period = std::max(timeline.period, endOf(lane) + gathered - lane.begin.front());
    }
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
    for (const timeline::Lane &lane : timeline.lanes)
        if (lane.size() > 0)
            without = std::max(without, lane.end.back() + (lane.tailEnd - lane.tailBegin) - lane.begin.front());
    return std::max<Nanos>(0, timeline.period - without);
}

} // namespace stagelens::simulate
