#include "engine/timeline/timeline.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace stagelens::timeline {

namespace {

/// The key by which passes of a lane are matched.
std::uint64_t keyOf(const schedule::Pass &pass)
{
    return (std::uint64_t{pass.stage} << 40U) | (static_cast<std::uint64_t>(pass.kind) << 32U) |
           static_cast<std::uint32_t>(pass.microbatch);
}

struct KeyedSlice {
    std::uint64_t key = 0;
    std::size_t index = 0;
    bool taken = false;
};

std::vector<KeyedSlice> sortedByKey(const Lane &lane)
{
    std::vector<KeyedSlice> slices;
    slices.reserve(lane.size());
    for (std::size_t i = 0; i < lane.size(); ++i)
        slices.push_back({keyOf(lane.pass[i]), i, false});
    std::ranges::stable_sort(slices, {}, &KeyedSlice::key);
    return slices;
}

/// The first slice with that key that no other was matched with, or null.
KeyedSlice *take(std::vector<KeyedSlice> &slices, std::uint64_t key)
{
    for (auto at = std::ranges::lower_bound(slices, key, {}, &KeyedSlice::key); at != slices.end() && at->key == key; ++at) {
        if (!std::exchange(at->taken, true))
            return &*at;
    }
    return nullptr;
}

void addLaneDifference(Difference &result, int device, const Lane &first, const Lane &second)
{
    std::vector<KeyedSlice> others = sortedByKey(second);
    std::size_t matched = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const KeyedSlice *other = take(others, keyOf(first.pass[i]));
        if (other == nullptr) {
            ++result.onlyInFirst;
            continue;
        }
        ++matched;
        const std::size_t j = other->index;
        result.passes.push_back({device, first.pass[i], first.end[i] - first.begin[i], second.end[j] - second.begin[j],
                                 second.begin[j] - first.begin[i]});
    }
    result.onlyInSecond += second.size() - matched;
}

} // namespace

std::string_view name(Provenance provenance)
{
    switch (provenance) {
    case Provenance::Predicted: return "predicted";
    case Provenance::MeasuredLive: return "measured-live";
    case Provenance::MeasuredVirtualClock: return "measured-virtual-clock";
    case Provenance::Published: return "published";
    case Provenance::Imported: return "imported";
    }
    return "";
}

std::string_view name(AnchoredKind kind)
{
    switch (kind) {
    case AnchoredKind::ReduceGradients: return "reduce-gradients";
    case AnchoredKind::GatherParameters: return "gather-parameters";
    case AnchoredKind::SumReplicated: return "sum-replicated";
    case AnchoredKind::Offload: return "offload";
    case AnchoredKind::Reload: return "reload";
    case AnchoredKind::AverageParameters: return "average-parameters";
    }
    return "";
}

void Lane::reserve(std::size_t count)
{
    begin.reserve(count);
    end.reserve(count);
    pass.reserve(count);
}

void Lane::push(schedule::Pass slicePass, base::Nanos sliceBegin, base::Nanos sliceEnd)
{
    begin.push_back(sliceBegin);
    end.push_back(sliceEnd);
    pass.push_back(slicePass);
}

std::pair<base::Nanos, base::Nanos> Timeline::extent() const
{
    base::Nanos first = std::numeric_limits<base::Nanos>::max();
    base::Nanos last = std::numeric_limits<base::Nanos>::min();
    for (const Lane &lane : lanes) {
        if (lane.size() == 0)
            continue;
        first = std::min(first, lane.begin.front());
        last = std::max(last, lane.end.back());
    }
    return first > last ? std::pair<base::Nanos, base::Nanos>{0, 0} : std::pair{first, last};
}

base::Nanos Timeline::makespan() const
{
    const auto [first, last] = extent();
    return last - first;
}

base::Nanos Timeline::iteration() const
{
    if (period > 0)
        return period;
    auto [first, last] = extent();
    for (const Lane &lane : lanes) {
        if (lane.tailEnd > lane.tailBegin)
            last = std::max(last, lane.tailEnd);
        for (const AnchoredSlice &slice : lane.anchored) {
            first = std::min(first, slice.begin);
            last = std::max(last, slice.end);
        }
    }
    return last - first;
}

std::optional<int> Timeline::weightVersionOf(const schedule::Pass &pass) const
{
    const auto microbatch = static_cast<std::size_t>(pass.microbatch);
    if (pass.stage >= weightVersions.size() || microbatch >= weightVersions[pass.stage].size())
        return std::nullopt;
    return weightVersions[pass.stage][microbatch];
}

std::vector<std::pair<base::Nanos, base::Nanos>> Timeline::stepExtents() const
{
    constexpr std::pair kNone{std::numeric_limits<base::Nanos>::max(), std::numeric_limits<base::Nanos>::min()};
    std::vector<std::pair<base::Nanos, base::Nanos>> steps(static_cast<std::size_t>(iterations), kNone);
    for (const Lane &lane : lanes) {
        for (std::size_t i = 0; i < lane.size(); ++i) {
            auto &[begin, end] = steps[std::min(steps.size() - 1, static_cast<std::size_t>(stepOf(lane.pass[i])))];
            begin = std::min(begin, lane.begin[i]);
            end = std::max(end, lane.end[i]);
        }
    }
    std::erase(steps, kNone);
    return steps;
}

std::vector<std::pair<base::Nanos, base::Nanos>> Timeline::tails(int device) const
{
    const Lane &lane = lanes[static_cast<std::size_t>(device)];
    if (lane.tailEnd <= lane.tailBegin)
        return {};
    const bool drains = iterations > 1 && weightVersions.empty();
    const std::size_t passes = lane.size() / static_cast<std::size_t>(iterations);
    const base::Nanos interval = drains && passes > 0 ? lane.begin[passes] - lane.begin.front() : 0;
    std::vector<std::pair<base::Nanos, base::Nanos>> all;
    for (int after = drains ? iterations - 1 : 0; after >= 0; --after)
        all.emplace_back(lane.tailBegin - after * interval, lane.tailEnd - after * interval);
    return all;
}

std::size_t Timeline::sliceCount() const
{
    std::size_t count = 0;
    for (const Lane &lane : lanes)
        count += lane.size();
    return count;
}

std::optional<double> Timeline::processorShare() const
{
    base::Nanos processor = 0;
    base::Nanos wall = 0;
    for (const Lane &lane : lanes)
        for (std::size_t i = 0; i < lane.processor.size(); ++i) {
            processor += lane.processor[i];
            wall += lane.end[i] - lane.begin[i];
        }
    return wall > 0 ? std::optional(static_cast<double>(processor) / static_cast<double>(wall)) : std::nullopt;
}

std::size_t firstEndingAfter(const Lane &lane, base::Nanos time)
{
    return static_cast<std::size_t>(std::ranges::upper_bound(lane.end, time) - lane.end.begin());
}

std::optional<std::size_t> sliceAt(const Lane &lane, base::Nanos time, base::Nanos slack)
{
    const std::size_t next = firstEndingAfter(lane, time);
    const bool hasNext = next < lane.size();
    if (hasNext && lane.begin[next] <= time)
        return next;
    // Slices are half-open: the last instant of one is end - 1, of a zero-length one its begin.
    constexpr base::Nanos kFar = std::numeric_limits<base::Nanos>::max();
    const base::Nanos toNext = hasNext ? lane.begin[next] - time : kFar;
    const base::Nanos toPrevious = next > 0 ? time - std::max(lane.begin[next - 1], lane.end[next - 1] - 1) : kFar;
    if (std::min(toNext, toPrevious) > slack)
        return std::nullopt;
    return toPrevious <= toNext ? next - 1 : next;
}

std::optional<SliceId> findSlice(const Timeline &timeline, const schedule::Pass &pass, int device)
{
    if (device < 0 || device >= timeline.devices())
        return std::nullopt;
    const Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
    const auto found = std::ranges::find(lane.pass, keyOf(pass), keyOf);
    if (found == lane.pass.end())
        return std::nullopt;
    return SliceId{device, static_cast<std::size_t>(found - lane.pass.begin())};
}

Difference difference(const Timeline &first, const Timeline &second)
{
    Difference result;
    const Lane none;
    for (int device = 0; device < std::max(first.devices(), second.devices()); ++device) {
        const auto at = static_cast<std::size_t>(device);
        addLaneDifference(result, device, device < first.devices() ? first.lanes[at] : none,
                          device < second.devices() ? second.lanes[at] : none);
    }
    return result;
}

} // namespace stagelens::timeline
