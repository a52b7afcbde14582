#include "engine/simulate/offload/lane_rule.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>

namespace stagelens::simulate {

using base::Nanos;

namespace {

/// The intervals in which a lane copies.
class Lane {
public:
    void occupy(Nanos begin, Nanos duration)
    {
        if (duration > 0)
            m_busy[begin] = begin + duration;
    }
    void release(Nanos begin, Nanos duration)
    {
        if (duration > 0)
            m_busy.erase(begin);
    }
    /// Returns the earliest begin from `from` on at which the lane is free for that long.
    [[nodiscard]] Nanos firstGap(Nanos from, Nanos duration) const
    {
        auto next = m_busy.upper_bound(from);
        Nanos begin = from;
        if (next != m_busy.begin())
            begin = std::max(begin, std::prev(next)->second);
        for (; next != m_busy.end() && next->first < begin + duration; ++next)
            begin = std::max(begin, next->second);
        return begin;
    }

private:
    std::map<Nanos, Nanos> m_busy; ///< end by begin
};

/// Returns the activations in the order in which they are needed.
std::vector<std::size_t> byNeed(std::span<const Activation> activations)
{
    std::vector<std::size_t> order(activations.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return activations[i].needed; });
    return order;
}

std::vector<std::optional<CopyTimes>> placeInSlots(std::span<const Activation> activations)
{
    Nanos out = 0;
    Nanos in = 0;
    for (const Activation &each : activations) {
        out = std::max(out, each.out);
        in = std::max(in, each.in);
    }
    const Nanos slot = std::max<Nanos>(1, out + in);
    std::vector<std::optional<CopyTimes>> placed(activations.size());
    Nanos free = 0; // slots that begin earlier are taken
    for (std::size_t i = 0; i < activations.size(); ++i) {
        free = std::max(free, (activations[i].made + slot - 1) / slot * slot);
        placed[i] = CopyTimes{free, 0};
        free += slot;
    }
    const std::vector<std::size_t> order = byNeed(activations);
    Nanos before = std::numeric_limits<Nanos>::max(); // slots that end later are taken
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const Nanos end = std::min(before, activations[*at].needed / slot * slot);
        if (end - in < placed[*at]->out + out) {
            placed[*at].reset();
            continue;
        }
        placed[*at]->in = end - in;
        before = end - slot;
    }
    return placed;
}

} // namespace

std::vector<std::optional<CopyTimes>> placeCopies(std::span<const Activation> activations, LaneSharing lane)
{
    if (lane == LaneSharing::Slots)
        return placeInSlots(activations);
    const std::vector<std::size_t> order = byNeed(activations);
    std::vector<std::optional<CopyTimes>> placed(activations.size());
    Lane reloads;
    Lane offloads;
    Nanos before = std::numeric_limits<Nanos>::max();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const Activation &each = activations[*at];
        before = std::min(before, each.needed) - each.in;
        placed[*at] = CopyTimes{0, before};
        reloads.occupy(before, each.in);
    }
    Lane &outLane = lane == LaneSharing::Shared ? reloads : offloads;
    for (std::size_t i = 0; i < activations.size(); ++i) {
        const Activation &each = activations[i];
        const Nanos out = outLane.firstGap(each.made, each.out);
        if (out + each.out > placed[i]->in) {
            reloads.release(placed[i]->in, each.in);
            placed[i].reset();
            continue;
        }
        placed[i]->out = out;
        outLane.occupy(out, each.out);
    }
    return placed;
}

} // namespace stagelens::simulate
