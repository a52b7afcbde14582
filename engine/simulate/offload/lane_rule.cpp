#include "engine/simulate/offload/lane_rule.h"

#include <algorithm>
#include <iterator>
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

} // namespace

std::vector<std::optional<CopyTimes>> placeCopies(std::span<const Activation> activations, LaneSharing lane)
{
    std::vector<std::size_t> byNeed(activations.size());
    std::iota(byNeed.begin(), byNeed.end(), std::size_t{0});
    std::ranges::stable_sort(byNeed, {}, [&](std::size_t i) { return activations[i].needed; });

    std::vector<std::optional<CopyTimes>> placed(activations.size());
    Lane reloads;
    Lane offloads;
    Nanos before = std::numeric_limits<Nanos>::max();
    for (auto at = byNeed.rbegin(); at != byNeed.rend(); ++at) {
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
