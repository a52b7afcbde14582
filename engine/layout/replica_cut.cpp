#include "engine/layout/replica_cut.h"

#include <algorithm>

namespace stagelens::layout {
namespace {

std::int64_t roundedUp(std::int64_t count, std::int64_t multiple)
{
    return (count + multiple - 1) / multiple * multiple;
}

} // namespace

ReplicaCut::ReplicaCut(std::span<const std::int64_t> counts, int replicas, std::int64_t block,
                       std::span<const std::int64_t> pieces)
    : m_counts(counts.begin(), counts.end()), m_replicas(replicas)
{
    std::int64_t end = 0;
    for (const std::int64_t count : counts) {
        m_starts.push_back(roundedUp(end, kAlignment));
        end = m_starts.back() + count;
    }
    m_extent = roundedUp(end, block);
    const std::int64_t share = (m_extent / block + replicas - 1) / replicas * block;
    for (int replica = 0; replica < replicas; ++replica)
        m_boundaries.push_back(moved(std::min(replica * share, m_extent), pieces));
    m_boundaries.push_back(m_extent);
}

std::int64_t ReplicaCut::moved(std::int64_t boundary, std::span<const std::int64_t> pieces) const
{
    // Only the last parameter that starts at the boundary or before it can contain it.
    const auto after = std::ranges::upper_bound(m_starts, boundary) - m_starts.begin();
    if (pieces.empty() || after == 0)
        return boundary;
    const auto i = static_cast<std::size_t>(after - 1);
    const std::int64_t inside = boundary - m_starts[i];
    if (inside <= 0 || inside >= m_counts[i] || inside % pieces[i] == 0)
        return boundary;
    const std::int64_t whole = inside / pieces[i] * pieces[i];
    const std::int64_t next = std::min(whole + pieces[i], m_counts[i]);
    return m_starts[i] + (inside - whole <= next - inside ? whole : next);
}

std::int64_t ReplicaCut::largestShare() const
{
    std::int64_t largest = 0;
    for (int replica = 0; replica < m_replicas; ++replica)
        largest = std::max(largest, share(replica).size());
    return largest;
}

Interval ReplicaCut::share(int replica) const
{
    const auto at = static_cast<std::size_t>(replica);
    return {m_boundaries[at], m_boundaries[at + 1]};
}

Interval ReplicaCut::place(std::size_t parameter) const
{
    return {m_starts[parameter], m_starts[parameter] + m_counts[parameter]};
}

Interval ReplicaCut::share(int replica, std::size_t parameter) const
{
    const Interval whole = place(parameter);
    const Interval part = common(whole, share(replica));
    return part.size() == 0 ? Interval() : Interval{part.begin - whole.begin, part.end - whole.begin};
}

std::int64_t ReplicaCut::owned(int replica) const
{
    const Interval part = share(replica);
    const auto after = std::ranges::upper_bound(m_starts, part.begin) - m_starts.begin();
    std::int64_t count = 0;
    for (auto parameter = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - 1));
         parameter < m_counts.size() && m_starts[parameter] < part.end; ++parameter)
        count += common(place(parameter), part).size();
    return count;
}

int ReplicaCut::fullest() const
{
    return layout::fullest(m_replicas, [this](int replica) { return owned(replica); });
}

Interval common(const Interval &one, const Interval &other)
{
    const std::int64_t begin = std::max(one.begin, other.begin);
    return {begin, std::max(begin, std::min(one.end, other.end))};
}

} // namespace stagelens::layout
