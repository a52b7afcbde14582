#include "engine/layout/replica_cut.h"

#include <algorithm>

namespace stagelens::layout {
namespace {

std::int64_t roundedUp(std::int64_t count, std::int64_t multiple)
{
    return (count + multiple - 1) / multiple * multiple;
}

} // namespace

ReplicaCut::ReplicaCut(std::span<const std::int64_t> counts, int replicas, std::int64_t block)
    : m_counts(counts.begin(), counts.end()), m_replicas(replicas)
{
    std::int64_t end = 0;
    for (const std::int64_t count : counts) {
        m_starts.push_back(roundedUp(end, kAlignment));
        end = m_starts.back() + count;
    }
    m_extent = roundedUp(end, block);
    m_share = (m_extent / block + replicas - 1) / replicas * block;
}

Interval ReplicaCut::share(int replica) const
{
    return {std::min(replica * m_share, m_extent), std::min((replica + 1) * m_share, m_extent)};
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
    std::int64_t count = 0;
    for (std::size_t parameter = 0; parameter < m_counts.size(); ++parameter)
        count += share(replica, parameter).size();
    return count;
}

int ReplicaCut::fullest() const
{
    int fullest = 0;
    for (int replica = 1; replica < m_replicas; ++replica)
        if (owned(replica) > owned(fullest))
            fullest = replica;
    return fullest;
}

Interval common(const Interval &one, const Interval &other)
{
    const std::int64_t begin = std::max(one.begin, other.begin);
    return {begin, std::max(begin, std::min(one.end, other.end))};
}

} // namespace stagelens::layout
