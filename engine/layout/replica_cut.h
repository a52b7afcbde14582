// How data-parallel replicas divide the parameters of a device among them.
#pragma once

#include "engine/layout/shard.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::layout {

/// Divides the parameters of a device over replicas. The parameters are laid out in the order of their use, each at a multiple
/// of kAlignment, and cut into whole blocks: replica k has blocks [k n, (k + 1) n) with n = blocks / replicas, rounded up. It
/// sums the gradients of its blocks over all replicas. With ZeRO, only this replica has their optimizer state and updates them
/// (arXiv 1910.02054, section 5). The shares of the last replicas may be short or empty. A boundary inside an indivisible piece
/// moves to the nearer end of the piece.
class ReplicaCut {
public:
    static constexpr std::int64_t kAlignment = 16;
    static constexpr std::int64_t kBlock = 4096;

    /// `counts` are the elements of each parameter, and `pieces` the sizes of its indivisible pieces, from its first element
    /// on. Without `pieces`, parameters can be divided anywhere.
    ReplicaCut(std::span<const std::int64_t> counts, int replicas, std::int64_t block = kBlock,
               std::span<const std::int64_t> pieces = {});

    [[nodiscard]] int replicas() const { return m_replicas; }
    /// Returns the elements of all parameters with the gaps between them, in whole blocks.
    [[nodiscard]] std::int64_t extent() const { return m_extent; }
    /// Returns the share of a replica in the common order.
    [[nodiscard]] Interval share(int replica) const;
    /// Returns the size of the largest share.
    [[nodiscard]] std::int64_t largestShare() const;
    /// Returns the position of a parameter in the common order.
    [[nodiscard]] Interval place(std::size_t parameter) const;
    /// Returns the replica's elements of a parameter, counted from its first; may be empty.
    [[nodiscard]] Interval share(int replica, std::size_t parameter) const;
    /// Returns the elements of the replica's share without gaps.
    [[nodiscard]] std::int64_t owned(int replica) const;
    /// Returns the (first) replica with the most such elements.
    [[nodiscard]] int fullest() const;

private:
    /// Returns the nearest position that divides no piece.
    [[nodiscard]] std::int64_t moved(std::int64_t boundary, std::span<const std::int64_t> pieces) const;

    std::vector<std::int64_t> m_counts;
    std::vector<std::int64_t> m_starts;
    std::int64_t m_extent = 0;
    std::vector<std::int64_t> m_boundaries; ///< of the shares, from 0 to the extent
    int m_replicas = 1;
};

/// Returns the number of ranks in a shard group that hold the same experts: the group has whole expert groups.
[[nodiscard]] inline int expertShardGroup(const model::ParallelPlan &plan)
{
    return std::max(1, plan.expertReplicas() / plan.shardGroups());
}

/// Returns the first share with the greatest size; 0 without shares.
template <class SizeOf>
[[nodiscard]] int fullest(int shares, const SizeOf &sizeOf)
{
    int fullest = 0;
    for (std::int64_t share = 1, most = shares > 0 ? sizeOf(0) : 0; share < shares; ++share)
        if (const std::int64_t size = sizeOf(static_cast<int>(share)); size > most) {
            most = size;
            fullest = static_cast<int>(share);
        }
    return fullest;
}

/// Returns the intersection; empty, with begin = end, if there is none.
[[nodiscard]] Interval common(const Interval &one, const Interval &other);

} // namespace stagelens::layout
