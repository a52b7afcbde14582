// Sums of an array in double: blocks sum runs whose length depends only on that of the array, and a kernel of one block adds
// their sums. So the order is fixed.
#pragma once

#include "kernels/cuda/elementwise.h"

namespace stagelens::kernels::gpu {

inline constexpr int kSumThreads = 256;
inline constexpr std::int64_t kSumBytes = kSumThreads / kWarpLanes * static_cast<std::int64_t>(sizeof(double));

/// Elements per block, a multiple of the widest pack.
inline std::int64_t elementsOfSum(std::int64_t count)
{
    constexpr std::int64_t kMostBlocks = 1024;
    constexpr std::int64_t kLeastElements = 4096;
    const std::int64_t each = (count + kMostBlocks - 1) / kMostBlocks;
    return each < kLeastElements ? kLeastElements : (each + 3) / 4 * 4;
}

inline std::int64_t blocksOfSum(std::int64_t count)
{
    return (count + elementsOfSum(count) - 1) / elementsOfSum(count);
}

/// sums[block] = the sum of Term::of(value) over the block's values.
template <class Term, int W>
STAGELENS_KERNEL(kSumThreads, 4)
blockSumsKernel(double *sums, const float *values, std::int64_t each, std::int64_t count)
{
    const std::int64_t first = blockIndex() * each;
    const std::int64_t own = count - first < each ? count - first : each;
    double sum = 0;
    forEachPack<W>(values + first, own, [&](std::int64_t, const Raw<float, W> &raw) {
        const Pack<W> x = unpack(raw);
#pragma unroll
        for (int i = 0; i < W; ++i)
            sum += Term::of(static_cast<double>(x.at[i]));
    });
    const double all = blockSum(sum, reinterpret_cast<double *>(sharedBytes()));
    if (threadIndex() == 0)
        sums[blockIndex()] = all;
}

/// Writes blocksOfSum(count) sums.
template <class Term>
Status blockSums(Stream stream, double *sums, const float *values, std::int64_t count)
{
    const std::int64_t each = elementsOfSum(count);
    const Launch how{blocksOfSum(count), kSumThreads, kSumBytes, stream};
    return isWide<float>({values}, {count}) ? launch<blockSumsKernel<Term, 4>>(how, sums, values, each, count)
                                            : launch<blockSumsKernel<Term, 1>>(how, sums, values, each, count);
}

/// Returns the sum of all blocks; thread 0 of a kernel of one block has it.
STAGELENS_DEVICE double totalOf(const double *sums, std::int64_t blocks)
{
    double sum = 0;
    for (std::int64_t i = threadIndex(); i < blocks; i += kSumThreads)
        sum += sums[i];
    return blockSum(sum, reinterpret_cast<double *>(sharedBytes()));
}

} // namespace stagelens::kernels::gpu
