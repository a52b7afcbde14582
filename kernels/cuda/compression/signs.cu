// Signs of a gradient and the mean of their sizes. Bytes per number: 4 read for the mean, then 4 read and written; a message
// has a bit for each. Memory-bound. Target: 75 % of copy bandwidth.
#include "kernels/cuda/block_sums.h"
#include "kernels/include/compression.h"
#include "kernels/include/elementwise.h"

#include <bit>

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kSigns = static_cast<int>(kSignsOfFloat);
static_assert(kSigns == kWarpLanes, "the lanes of a warp have the numbers of a word");

struct Size {
    STAGELENS_DEVICE static double of(double value) { return std::fabs(value); }
};

/// One block.
STAGELENS_KERNEL(kSumThreads, 1)
scaleKernel(float *scale, const double *sums, std::int64_t blocks, std::int64_t count)
{
    const double all = totalOf(sums, blocks);
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

/// Writes the signs of a message that has its scale already.
Status startSigns(Stream stream, float *message, float *residual, std::int64_t count)
{
    constexpr std::int64_t kOfBlock = std::int64_t{kThreads} * kSigns;
    return launch<signsKernel>({(count + kOfBlock - 1) / kOfBlock, kThreads, 0, stream}, message, residual, count);
}

} // namespace

std::int64_t signsScratch(std::int64_t count)
{
    return blocksOfSum(count);
}

Status encodeSigns(Stream stream, float *message, float *residual, std::int64_t count, double *scratch)
{
    Status status = blockSums<Size>(stream, scratch, residual, count);
    if (status.failed())
        return status;
    status = launch<scaleKernel>({1, kSumThreads, kSumBytes, stream}, message, scratch, blocksOfSum(count), count);
    return status.failed() ? status : startSigns(stream, message, residual, count);
}

Status encodeSignsOf(Stream stream, float scale, float *message, float *residual, std::int64_t count)
{
    const Status status = fill(stream, message, scale, 1);
    return status.failed() || count == 0 ? status : startSigns(stream, message, residual, count);
}

Status decodeSigns(Stream stream, float *sum, const Parts<float> &messages, std::int64_t count)
{
    return launch<decodeSignsKernel>(overElements(count, 1, stream), sum, messages, count);
}

} // namespace stagelens::kernels::gpu
