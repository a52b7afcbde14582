// Sums of columns that several blocks have begun, finished in the order of the blocks.
#pragma once

#include "kernels/cuda/rows.h"

namespace stagelens::kernels::gpu {

inline constexpr int kColumnsOfBlock = 32;
inline constexpr int kGroups = 8;

/// gradient[width] += the sums of `blocks` blocks, `stride` floats apart: eight groups of blocks, each in order, then the
/// groups in order. A template, so that more than one file may have it.
template <int Columns, int Groups>
STAGELENS_KERNEL(Columns *Groups, 4)
columnSumsKernel(float *gradient, const float *sums, std::int64_t blocks, std::int64_t stride, std::int64_t width)
{
    auto *groups = reinterpret_cast<float *>(sharedBytes());
    const int lane = threadIndex() % Columns;
    const int group = threadIndex() / Columns;
    const std::int64_t column = std::int64_t{blockIndex()} * Columns + lane;
    const std::int64_t each = (blocks + Groups - 1) / Groups;
    float sum = 0;
    if (column < width) {
#pragma unroll 4
        for (std::int64_t block = group * each; block < (group + 1) * each; ++block)
            sum += block < blocks ? sums[block * stride + column] : 0.0F;
    }
    groups[threadIndex()] = sum;
    syncBlock();
    if (group == 0 && column < width) {
        float all = gradient[column];
        for (int i = 0; i < Groups; ++i)
            all += groups[i * Columns + lane];
        gradient[column] = all;
    }
}

/// gradient[width] += the sums that `blocks` blocks left, `stride` floats apart.
inline Status addBlockSums(Stream stream, float *gradient, const float *sums, std::int64_t blocks, std::int64_t stride,
                           std::int64_t width)
{
    return launch<columnSumsKernel<kColumnsOfBlock, kGroups>>({(width + kColumnsOfBlock - 1) / kColumnsOfBlock,
                                                               kColumnsOfBlock * kGroups,
                                                               kColumnsOfBlock * kGroups * sizeof(float), stream},
                                                              gradient, sums, blocks, stride, width);
}

} // namespace stagelens::kernels::gpu
