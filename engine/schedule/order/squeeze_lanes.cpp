#include "engine/schedule/order/squeeze_lanes.h"

#include <algorithm>

namespace stagelens::schedule {

namespace {

LaneKind laneKindOf(PassKind kind)
{
    switch (kind) {
    case PassKind::F: return Forward;
    case PassKind::W: return Weight;
    default: return Backward;
    }
}

void sortIntoLanes(Lanes &lanes, const LayerOrder &order, const Durations &durations)
{
    for (const std::vector<Pass> &passes : order.devices) {
        std::uint32_t place = 0;
        std::uint32_t rank = 0;
        for (const Pass &pass : passes) {
            Lane &own = lanes.at(laneKindOf(pass.kind), order.placement.directionOf(pass.microbatch), pass.stage);
            own.duration = durations.pass(pass.kind, pass.stage);
            own.kind = laneKindOf(pass.kind);
            own.places.push_back(place++);
            if (pass.kind == PassKind::F)
                own.ranks.push_back(rank++);
        }
    }
}

void connect(Lanes &lanes, const Placement &placement, int direction, int stage, const Durations &durations)
{
    const int device = placement.deviceOf(stage, direction);
    const auto follow = [&](Lane &from, LaneKind kind, int next) {
        from.follower = &lanes.at(kind, direction, next);
        from.followerDevice = placement.deviceOf(next, direction);
        from.latency = from.followerDevice == device ? 0 : durations.transfer(Transfer::Send);
    };
    Lane &forward = lanes.at(Forward, direction, stage);
    Lane &backward = lanes.at(Backward, direction, stage);
    if (stage < placement.lastStage())
        follow(forward, Forward, stage + 1);
    else
        follow(forward, Backward, stage);
    if (stage > 0)
        follow(backward, Backward, stage - 1);
    forward.ready.assign(forward.places.size(), kNever);
    backward.ready.assign(backward.places.size(), kNever);
    LaneDevice &own = lanes.devices[static_cast<std::size_t>(device)];
    for (const LaneKind kind : {Forward, Backward, Weight})
        own.lanes[kind].push_back(&lanes.at(kind, direction, stage));
}

/// Computes Lane::firstRank. At rank i the order holds `held` activations and has started `started` forwards of the lane. If n
/// forwards of the lane have started instead, the device holds n - started more (if that is above 0).
void prepare(LaneDevice &device, const std::vector<Pass> &passes)
{
    std::vector<int> room; // after each forward
    room.reserve(passes.size() / 2);
    int held = 0;
    device.hasRun.assign(passes.size(), 0);
    device.full = passes.size();
    for (std::size_t place = 0; place < passes.size(); ++place) {
        held += activationChange(passes[place].kind);
        if (passes[place].kind != PassKind::F)
            continue;
        room.push_back(device.cap - held);
        device.lastForward = place;
        if (room.back() == 0)
            device.full = std::min(device.full, place);
    }
    for (Lane *const forward : device.lanes[Forward]) {
        const std::size_t most = forward->ranks.size() + static_cast<std::size_t>(device.cap);
        forward->firstRank.assign(most + 1, 0);
        std::size_t started = forward->ranks.size();
        std::size_t allowed = most; // by all ranks from here on
        for (std::size_t rank = room.size(); rank-- > 0;) {
            for (; allowed > started + static_cast<std::size_t>(room[rank]); --allowed)
                forward->firstRank[allowed] = static_cast<std::uint32_t>(rank) + 1;
            if (started > 0 && forward->ranks[started - 1] == rank)
                --started;
        }
    }
}

} // namespace

Lanes makeLanes(const LayerOrder &order, const Durations &durations, const SqueezeOptions &options)
{
    const Placement &placement = order.placement;
    Lanes lanes{placement.directions, placement.stages(), std::vector<Lane>(kLaneKinds * placement.stageDevice.size()),
                std::vector<LaneDevice>(order.devices.size())};
    sortIntoLanes(lanes, order, durations);
    for (int direction = 0; direction < placement.directions; ++direction) {
        for (int stage = 0; stage < placement.stages(); ++stage)
            connect(lanes, placement, direction, stage, durations);
        if (options.barriers == 0)
            std::ranges::fill(lanes.at(Forward, direction, 0).ready, 0);
    }
    const std::vector<int> least = mostHeld(order);
    for (std::size_t at = 0; at < order.devices.size(); ++at) {
        lanes.devices[at].cap = options.mostHeld.empty() ? least[at] : std::max(least[at], options.mostHeld[at]);
        prepare(lanes.devices[at], order.devices[at]);
    }
    return lanes;
}

std::vector<int> mostHeld(const LayerOrder &order)
{
    std::vector<int> most;
    for (const std::vector<Pass> &passes : order.devices)
        most.push_back(peakActivations(passes));
    return most;
}

} // namespace stagelens::schedule
