// Products of two thin matrices in the place of a gradient. Bytes per number of the matrix to decode: 4 read, 8 written, and 2
// rank FLOPs: memory-bound for a rank of up to 16. Gram-Schmidt takes one block, and rank^2 passes over the thin matrix.
#include "kernels/cuda/elementwise.h"
#include "kernels/include/compression.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kWholeThreads = 512; ///< of a block that reads a whole array
constexpr int kWarps = kWholeThreads / kWarpLanes;

/// Returns the scalar product of two columns, the same in every thread. `parts` is as in blockCombined().
STAGELENS_DEVICE double dot(const float *one, const float *other, std::int64_t rows, std::int64_t stride, double *parts)
{
    double sum = 0;
    for (std::int64_t i = threadIndex(); i < rows; i += blockThreads())
        sum += static_cast<double>(one[i * stride]) * static_cast<double>(other[i * stride]);
    return blockSum(sum, parts);
}

/// One block. A thread reads and writes the same rows everywhere, so that only the scalar products need barriers; those that
/// follow each other take their parts from different memory.
STAGELENS_KERNEL(kWholeThreads, 1)
orthonormaliseKernel(float *left, std::int64_t rows, std::int64_t rank)
{
    constexpr double kDependent = 1e-5;
    auto *const parts = reinterpret_cast<double *>(sharedBytes());
    int half = 0;
    const auto nextParts = [&] {
        half = 1 - half;
        return parts + half * kWarps;
    };
    for (std::int64_t k = 0; k < rank; ++k) {
        float *const own = left + k;
        const double before = std::sqrt(dot(own, own, rows, rank, nextParts()));
        for (int pass = 0; pass < 2; ++pass)
            for (std::int64_t other = 0; other < k; ++other) {
                const double share = dot(own, left + other, rows, rank, nextParts());
                for (std::int64_t i = threadIndex(); i < rows; i += blockThreads())
                    own[i * rank] = static_cast<float>(static_cast<double>(own[i * rank]) -
                                                       productOf(share, static_cast<double>(left[i * rank + other])));
            }
        const double length = std::sqrt(dot(own, own, rows, rank, nextParts()));
        const double factor = length > kDependent * before ? 1 / length : 0;
        for (std::int64_t i = threadIndex(); i < rows; i += blockThreads())
            own[i * rank] = static_cast<float>(factor * static_cast<double>(own[i * rank]));
    }
}

STAGELENS_KERNEL(kElementThreads, 4)
divideKernel(float *values, float divisor, std::int64_t count)
{
    eachPack<1, kPacksOfThread>(count, [&](std::int64_t at) { values[at] = values[at] / divisor; });
}

/// Block (columns, row).
STAGELENS_KERNEL(kElementThreads, 4)
decodeKernel(float *sum, float *residual, const float *left, const float *right, std::int64_t columns, std::int64_t rank,
             float replicas)
{
    const std::int64_t blocksOfRow = (columns + kElementThreads - 1) / kElementThreads;
    const std::int64_t row = blockIndex() / blocksOfRow;
    const std::int64_t column = blockIndex() % blocksOfRow * kElementThreads + threadIndex();
    if (column >= columns)
        return;
    float sent = 0;
#pragma unroll 4
    for (std::int64_t k = 0; k < rank; ++k)
        sent += productOf(left[row * rank + k], right[column * rank + k]);
    sum[row * columns + column] = replicas * sent;
    residual[row * columns + column] -= sent;
}

/// A block for each column of the thin matrices: copies it unless `left` has zeros only.
STAGELENS_KERNEL(kWholeThreads, 1)
keepColumnKernel(float *state, const float *left, const float *right, std::int64_t rows, std::int64_t columns,
                 std::int64_t rank)
{
    const std::int64_t k = blockIndex();
    if (!(dot(left + k, left + k, rows, rank, reinterpret_cast<double *>(sharedBytes())) > 0))
        return;
    for (std::int64_t j = threadIndex(); j < columns; j += blockThreads())
        state[j * rank + k] = right[j * rank + k];
}

} // namespace

Status orthonormalise(Stream stream, float *left, const LowRank &shape)
{
    return launch<orthonormaliseKernel>({1, kWholeThreads, 2 * kWarps * static_cast<std::int64_t>(sizeof(double)), stream},
                                        left, shape.rows, shape.rank);
}

Status decodeLowRank(Stream stream, float *sum, float *residual, float *state, const float *left, float *right,
                     const LowRank &shape, int replicas)
{
    const auto count = static_cast<float>(replicas);
    const std::int64_t numbers = shape.columns * shape.rank;
    Status status = launch<divideKernel>(overElements(numbers, 1, stream), right, count, numbers);
    if (status.failed())
        return status;
    const std::int64_t blocks = shape.rows * ((shape.columns + kElementThreads - 1) / kElementThreads);
    status = launch<decodeKernel>({blocks, kElementThreads, 0, stream}, sum, residual, left, right, shape.columns, shape.rank,
                                  count);
    if (status.failed())
        return status;
    return launch<keepColumnKernel>({shape.rank, kWholeThreads, kWarps * static_cast<std::int64_t>(sizeof(double)), stream},
                                    state, left, right, shape.rows, shape.columns, shape.rank);
}

} // namespace stagelens::kernels::gpu
