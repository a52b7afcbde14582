// Column sums over several blocks, in block order.
#pragma once

#include "kernels/cuda/rows.h"

namespace stagelens::kernels::gpu {

inline constexpr int kColumnsOfBlock = 32;
inline constexpr int kGroups = 8;

/// gradient[width] += the sums of `blocks` blocks, `stride` floats apart: eight groups of blocks, each in order, then the
/// groups in order. Blocks with y == 1 do so for `second`, whose sums follow those of the first. A template, so that several
/// files may include it.
template <int Columns, int Groups>
STAGELENS_KERNEL(Columns *Groups, 4)
columnSumsKernel(float *first, float *second, const float *sums, std::int64_t blocks, std::int64_t stride, std::int64_t width)
{
    constexpr int kAhead = 16;
    float *gradient = blockIndexY() == 0 ? first : second;
    auto *groups = reinterpret_cast<float *>(sharedBytes());
    const int lane = threadIndex() % Columns;
    const int group = threadIndex() / Columns;
    const std::int64_t column = std::int64_t{blockIndex()} * Columns + lane;
    const std::int64_t each = (blocks + Groups - 1) / Groups;
    const std::int64_t end = (group + 1) * each < blocks ? (group + 1) * each : blocks;
    const float *from = sums + blockIndexY() * width + column;
    float sum = 0;
    if (column < width) {
        for (std::int64_t block = group * each; block < end; block += kAhead) {
            float more[kAhead];
#pragma unroll
            for (int i = 0; i < kAhead; ++i)
                more[i] = block + i < end ? from[(block + i) * stride] : 0.0F;
#pragma unroll
            for (int i = 0; i < kAhead; ++i)
                sum += more[i];
        }
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

/// gradient[width] += the sums that `blocks` blocks wrote, `stride` floats apart. Does the same for `second`, if not null, with
/// the sums after those.
inline Status addBlockSums(Stream stream, float *gradient, const float *sums, std::int64_t blocks, std::int64_t stride,
                           std::int64_t width, float *second = nullptr)
{
    return launch<columnSumsKernel<kColumnsOfBlock, kGroups>>(
        {(width + kColumnsOfBlock - 1) / kColumnsOfBlock, kColumnsOfBlock * kGroups, kColumnsOfBlock * kGroups * sizeof(float),
         stream, second != nullptr ? 2 : 1},
        gradient, second, sums, blocks, stride, width);
}

} // namespace stagelens::kernels::gpu
