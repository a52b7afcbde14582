// Signs of a gradient and the mean of their sizes. Bytes per number: 4 read for the mean, then 4 read and written; a message
// has a bit for each. Memory-bound. Target: 75 % of copy bandwidth.
//
// Blocks sum runs whose length depends only on that of the array, and one block adds their sums, in double.
#include "kernels/cuda/elementwise.h"
#include "kernels/include/compression.h"

#include <bit>

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 1024;
constexpr std::int64_t kLeastElements = 4096; ///< of a block
constexpr std::int64_t kParts = kThreads / kWarpLanes * static_cast<std::int64_t>(sizeof(double));
constexpr int kSigns = static_cast<int>(kSignsOfFloat);
static_assert(kSigns == kWarpLanes, "the lanes of a warp have the numbers of a word");

std::int64_t elementsOfBlock(std::int64_t count)
{
    const std::int64_t each = (count + kMostBlocks - 1) / kMostBlocks;
    return each < kLeastElements ? kLeastElements : (each + 3) / 4 * 4;
}

template <int W>
STAGELENS_KERNEL(kThreads, 4)
sizesKernel(double *sums, const float *values, std::int64_t each, std::int64_t count)
{
    const std::int64_t first = blockIndex() * each;
    const std::int64_t own = count - first < each ? count - first : each;
    double sum = 0;
    forEachPack<W>(values + first, own, [&](std::int64_t, const Raw<float, W> &raw) {
        const Pack<W> x = unpack(raw);
#pragma unroll
        for (int i = 0; i < W; ++i)
            sum += std::fabs(static_cast<double>(x.at[i]));
    });
    const double all = blockSum(sum, reinterpret_cast<double *>(sharedBytes()));
    if (threadIndex() == 0)
        sums[blockIndex()] = all;
}

/// One block.
STAGELENS_KERNEL(kThreads, 1)
scaleKernel(float *scale, const double *sums, std::int64_t blocks, std::int64_t count)
{
    double sum = 0;
    for (std::int64_t i = threadIndex(); i < blocks; i += kThreads)
        sum += sums[i];
    const double all = blockSum(sum, reinterpret_cast<double *>(sharedBytes()));
    if (threadIndex() == 0)
        *scale = static_cast<float>(all / static_cast<double>(count));
}

/// A warp writes a word for each of its lanes.
STAGELENS_KERNEL(kThreads, 4)
signsKernel(float *message, float *residual, std::int64_t count)
{
    const int lane = threadIndex() % kWarpLanes;
    const std::int64_t warp = (std::int64_t{blockIndex()} * kThreads + threadIndex()) / kWarpLanes;
    const float scale = message[0];
    std::uint32_t own = 0;
#pragma unroll 4
    for (int word = 0; word < kWarpLanes; ++word) {
        const std::int64_t at = (warp * kWarpLanes + word) * kSigns + lane;
        bool isNegative = false;
        if (at < count) {
            const float value = residual[at];
            isNegative = value < 0;
            residual[at] = value - (isNegative ? -scale : scale);
        }
        std::uint32_t signs = isNegative ? std::uint32_t{1} << static_cast<unsigned>(lane) : 0U;
#pragma unroll
        for (int mask = kWarpLanes / 2; mask > 0; mask /= 2)
            signs |= shuffleXor(signs, mask);
        own = lane == word ? signs : own;
    }
    if (const std::int64_t place = warp * kWarpLanes + lane; place * kSigns < count)
        message[1 + place] = std::bit_cast<float>(own);
}

STAGELENS_KERNEL(kElementThreads, 4)
decodeSignsKernel(float *sum, const Parts<float> messages, std::int64_t count)
{
    eachPack<1, kPacksOfThread>(count, [&](std::int64_t at) {
        float all = 0;
        for (int part = 0; part < messages.count; ++part) {
            const float scale = messages.at[part][0];
            const auto signs = std::bit_cast<std::uint32_t>(messages.at[part][1 + at / kSigns]);
            all += (signs >> static_cast<unsigned>(at % kSigns) & 1U) != 0 ? -scale : scale;
        }
        sum[at] = all;
    });
}

} // namespace

std::int64_t signsScratch(std::int64_t count)
{
    return (count + elementsOfBlock(count) - 1) / elementsOfBlock(count);
}

Status encodeSigns(Stream stream, float *message, float *residual, std::int64_t count, double *scratch)
{
    const std::int64_t each = elementsOfBlock(count);
    const std::int64_t blocks = signsScratch(count);
    const Launch how{blocks, kThreads, kParts, stream};
    Status status = isWide<float>({residual}, {count}) ? launch<sizesKernel<4>>(how, scratch, residual, each, count)
                                                       : launch<sizesKernel<1>>(how, scratch, residual, each, count);
    if (status.failed())
        return status;
    status = launch<scaleKernel>({1, kThreads, kParts, stream}, message, scratch, blocks, count);
    if (status.failed())
        return status;
    constexpr std::int64_t kOfBlock = std::int64_t{kThreads} * kSigns;
    return launch<signsKernel>({(count + kOfBlock - 1) / kOfBlock, kThreads, 0, stream}, message, residual, count);
}

Status decodeSigns(Stream stream, float *sum, const Parts<float> &messages, std::int64_t count)
{
    return launch<decodeSignsKernel>(overElements(count, 1, stream), sum, messages, count);
}

} // namespace stagelens::kernels::gpu
