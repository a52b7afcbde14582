// Elementwise kernels over dense arrays.
#pragma once

#include "kernels/cuda/rows.h"

namespace stagelens::kernels::gpu {

inline constexpr int kElementThreads = 256;
inline constexpr int kPacksOfThread = 4; ///< loads in flight

/// Calls work(element) for the first element of each pack, with `Packs` packs per thread, which are adjacent within a warp.
template <int W, int Packs, class Work>
STAGELENS_DEVICE void eachPack(std::int64_t count, const Work &work)
{
    const std::int64_t first = (std::int64_t{blockIndex()} * Packs * blockThreads() + threadIndex()) * W;
#pragma unroll
    for (int i = 0; i < Packs; ++i)
        if (const std::int64_t element = first + std::int64_t{i} * blockThreads() * W; element < count)
            work(element);
}

/// Returns the launch of eachPack() with W elements per pack.
inline Launch overElements(std::int64_t count, int w, Stream stream, int packs = kPacksOfThread)
{
    const std::int64_t each = std::int64_t{w} * packs * kElementThreads;
    return {(count + each - 1) / each, kElementThreads, 0, stream};
}

/// 1 / (1 + e^-x).
STAGELENS_DEVICE float sigmoidOf(float x)
{
    // e^-x is infinite below -88. divideFast() returns 0 for divisors above 2^126, where the exact quotient is at most 2^-126.
    return divideFast(1.0F, 1.0F + exp2Fast(-x * kLog2E));
}

} // namespace stagelens::kernels::gpu
