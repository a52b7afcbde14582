// What the kernels of routers share: the order of scores, and counts of choices.
#pragma once

#include "kernels/cuda/rows.h"
#include "kernels/include/experts.h"

#include <bit>
#include <cstdint>

namespace stagelens::kernels::gpu {

inline constexpr int kChoiceThreads = 256;
inline constexpr int kChoiceWarps = kChoiceThreads / kWarpLanes;

/// An unsigned number with the order of the float; NaN comes first.
STAGELENS_DEVICE std::uint32_t orderOf(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F); // both zeros are equal
    const bool isNegative = (bits & 0x80000000U) != 0;
    return value == value ? (isNegative ? ~bits : bits | 0x80000000U) : 0U;
}
/// A key with the order of scores; of equal scores the lower index is greater. No two indices have the same key.
STAGELENS_DEVICE std::uint64_t keyOf(float score, int index)
{
    return static_cast<std::uint64_t>(orderOf(score)) << 32U | (0xffffffffU - static_cast<std::uint32_t>(index));
}
STAGELENS_DEVICE int indexOf(std::uint64_t key)
{
    return static_cast<int>(0xffffffffU - static_cast<std::uint32_t>(key));
}
inline constexpr std::uint64_t kAboveAll = ~std::uint64_t{0};

/// Returns the greatest key below `below` of the scores [first, first + count), the same in all lanes of the warp.
template <class ScoreOf>
STAGELENS_DEVICE std::uint64_t nextGreatest(int first, int count, std::uint64_t below, const ScoreOf &scoreOf)
{
    std::uint64_t best = 0;
    for (int i = first + threadIndex() % kWarpLanes; i < first + count; i += kWarpLanes) {
        const std::uint64_t key = keyOf(scoreOf(i), i);
        best = key < below && key > best ? key : best;
    }
#pragma unroll
    for (int mask = kWarpLanes / 2; mask > 0; mask /= 2) {
        const std::uint64_t other = shuffleXor(best, mask);
        best = other > best ? other : best;
    }
    return best;
}

/// 1 / (1 + e^-x), as exactly as floats allow.
STAGELENS_DEVICE float routerSigmoid(float x)
{
    return 1.0F / (1.0F + std::exp(-x));
}

/// Returns how many of `values` are `wanted`, in every thread of a block. `parts` as in blockSum().
STAGELENS_DEVICE int countOf(const std::int32_t *values, std::int64_t count, std::int32_t wanted, int *parts)
{
    int own = 0;
    for (std::int64_t i = threadIndex(); i < count; i += blockThreads())
        own += values[i] == wanted ? 1 : 0;
    return blockSum(own, parts);
}

} // namespace stagelens::kernels::gpu
