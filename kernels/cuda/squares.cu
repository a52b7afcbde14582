// Sum of squares in double. Bytes per element: 4; two FLOPs in double, of which an H200 does 67e12 per second: memory-bound.
// Target: 85 % of copy bandwidth, for reading.
#include "kernels/include/elementwise.h"

#include "kernels/cuda/block_sums.h"

namespace stagelens::kernels::gpu {
namespace {

struct Square {
    STAGELENS_DEVICE static double of(double value) { return value * value; }
};

/// One block.
STAGELENS_KERNEL(kSumThreads, 1)
finishKernel(double *total, const double *sums, std::int64_t blocks)
{
    const double all = totalOf(sums, blocks);
    if (threadIndex() == 0)
        *total = all;
}

} // namespace

std::int64_t squaresScratch(std::int64_t count)
{
    return blocksOfSum(count);
}

Status sumOfSquares(Stream stream, double *sum, const float *values, std::int64_t count, double *scratch)
{
    const Status status = blockSums<Square>(stream, scratch, values, count);
    return status.failed() ? status
                           : launch<finishKernel>({1, kSumThreads, kSumBytes, stream}, sum, scratch, blocksOfSum(count));
}

} // namespace stagelens::kernels::gpu
