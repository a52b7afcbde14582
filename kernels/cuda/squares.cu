// Sum of squares in double. Bytes per element: 4; two FLOPs in double, of which an H200 does 67e12 per second: memory-bound.
// Target: 85 % of copy bandwidth, for reading.
//
// Blocks sum runs whose length depends only on that of the array; a second kernel with one block adds their sums.
#include "kernels/include/elementwise.h"

#include "kernels/cuda/elementwise.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 1024;
constexpr std::int64_t kLeastElements = 4096; ///< of a block
constexpr std::int64_t kParts = kThreads / kWarpLanes * static_cast<std::int64_t>(sizeof(double));

/// Elements per block, a multiple of the pack.
std::int64_t elementsOfBlock(std::int64_t count)
{
    const std::int64_t each = (count + kMostBlocks - 1) / kMostBlocks;
    return each < kLeastElements ? kLeastElements : (each + 3) / 4 * 4;
}

template <int W>
STAGELENS_KERNEL(kThreads, 4)
squaresKernel(double *sums, const float *values, std::int64_t each, std::int64_t count)
{
    const std::int64_t first = blockIndex() * each;
    const std::int64_t own = count - first < each ? count - first : each;
    double sum = 0;
    forEachPack<W>(values + first, own, [&](std::int64_t, const Raw<float, W> &raw) {
        const Pack<W> x = unpack(raw);
#pragma unroll
        for (int i = 0; i < W; ++i)
            sum += static_cast<double>(x.at[i]) * static_cast<double>(x.at[i]);
    });
    const double all = blockSum(sum, reinterpret_cast<double *>(sharedBytes()));
    if (threadIndex() == 0)
        sums[blockIndex()] = all;
}

/// One block.
STAGELENS_KERNEL(kThreads, 1)
finishKernel(double *total, const double *sums, std::int64_t count)
{
    double sum = 0;
    for (std::int64_t i = threadIndex(); i < count; i += kThreads)
        sum += sums[i];
    const double all = blockSum(sum, reinterpret_cast<double *>(sharedBytes()));
    if (threadIndex() == 0)
        *total = all;
}

} // namespace

std::int64_t squaresScratch(std::int64_t count)
{
    return (count + elementsOfBlock(count) - 1) / elementsOfBlock(count);
}

Status sumOfSquares(Stream stream, double *sum, const float *values, std::int64_t count, double *scratch)
{
    const std::int64_t each = elementsOfBlock(count);
    const std::int64_t blocks = squaresScratch(count);
    const Launch how{blocks, kThreads, kParts, stream};
    const Status status = isWide<float>({values}, {count}) ? launch<squaresKernel<4>>(how, scratch, values, each, count)
                                                           : launch<squaresKernel<1>>(how, scratch, values, each, count);
    return status.failed() ? status : launch<finishKernel>({1, kThreads, kParts, stream}, sum, scratch, blocks);
}

} // namespace stagelens::kernels::gpu
