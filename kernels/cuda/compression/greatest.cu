// The numbers of a gradient that are greatest in size. Bytes per number: 4 read for each of eight digits of the threshold, 4 to
// count and 4 to write what is chosen: 40. Memory-bound but for the first digits. Target: 50 % of copy bandwidth.
//
// Blocks count in runs of the array; counts are integers, so that their order does not matter. What is chosen is written in the
// order of the places, from sums over the blocks and threads before.
#include "kernels/cuda/elementwise.h"
#include "kernels/include/compression.h"
#include "kernels/include/device.h"

#include <bit>

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarpLanes;
constexpr std::int64_t kMostBlocks = 1024;
constexpr std::int64_t kLeastElements = 4096; ///< of a block
constexpr unsigned kDigitBits = 4;
constexpr int kDigits = 1 << kDigitBits;

/// Where a selection is, in 64-bit numbers: the bits of the threshold found so far, how many of the numbers with these bits are
/// chosen, and counts of blocks.
constexpr std::int64_t kBitsPlace = 0;
constexpr std::int64_t kLeftPlace = 1;
constexpr std::int64_t kCounts = 2;

std::int64_t elementsOfBlock(std::int64_t count)
{
    const std::int64_t each = (count + kMostBlocks - 1) / kMostBlocks;
    return each < kLeastElements ? kLeastElements : each;
}
std::int64_t blocksOf(std::int64_t count)
{
    return (count + elementsOfBlock(count) - 1) / elementsOfBlock(count);
}

/// Returns the bits of the size of a number, ordered as the sizes are.
STAGELENS_DEVICE std::uint32_t sizeBits(float number)
{
    return std::bit_cast<std::uint32_t>(number) & 0x7fffffffU;
}

STAGELENS_KERNEL(kWarpLanes, 1)
beginKernel(std::int64_t *selection, std::int64_t chosen)
{
    if (threadIndex() == 0) {
        selection[kBitsPlace] = 0;
        selection[kLeftPlace] = chosen;
    }
}

/// counts[block][digit]: numbers whose higher bits are those of the threshold, by the digit at `shift`.
STAGELENS_KERNEL(kThreads, 2)
countDigitsKernel(std::int64_t *selection, const float *values, unsigned shift, std::int64_t each, std::int64_t count)
{
    auto *const parts = reinterpret_cast<int *>(sharedBytes()); // [warp][digit]
    const auto threshold = static_cast<std::uint32_t>(selection[kBitsPlace]);
    const std::uint32_t higher = shift + kDigitBits < 32 ? ~0U << (shift + kDigitBits) : 0U;
    const std::int64_t first = blockIndex() * each;
    const std::int64_t end = first + each < count ? first + each : count;
    int counts[kDigits] = {};
    for (std::int64_t i = first + threadIndex(); i < end; i += kThreads) {
        const std::uint32_t bits = sizeBits(values[i]);
        if ((bits & higher) != (threshold & higher))
            continue;
        const int digit = static_cast<int>(bits >> shift & (kDigits - 1));
#pragma unroll
        for (int k = 0; k < kDigits; ++k)
            counts[k] += digit == k ? 1 : 0;
    }
#pragma unroll
    for (int k = 0; k < kDigits; ++k) {
        const int all = warpSum(counts[k]);
        if (threadIndex() % kWarpLanes == 0)
            parts[threadIndex() / kWarpLanes * kDigits + k] = all;
    }
    syncBlock();
    if (threadIndex() < kDigits) {
        std::int64_t all = 0;
        for (int warp = 0; warp < kWarps; ++warp)
            all += parts[warp * kDigits + threadIndex()];
        selection[kCounts + std::int64_t{blockIndex()} * kDigits + threadIndex()] = all;
    }
}

/// One block: finds the digit of the threshold from the counts of all blocks.
STAGELENS_KERNEL(kThreads, 1)
chooseDigitKernel(std::int64_t *selection, unsigned shift, std::int64_t blocks)
{
    constexpr int kGroups = kThreads / kDigits;
    auto *const parts = reinterpret_cast<std::int64_t *>(sharedBytes()); // [group][digit]
    const int digit = threadIndex() % kDigits;
    std::int64_t sum = 0;
    for (std::int64_t block = threadIndex() / kDigits; block < blocks; block += kGroups)
        sum += selection[kCounts + block * kDigits + digit];
    parts[threadIndex()] = sum;
    syncBlock();
    if (threadIndex() != 0)
        return;
    std::int64_t left = selection[kLeftPlace];
    int found = kDigits - 1;
    for (;; --found) {
        std::int64_t all = 0;
        for (int group = 0; group < kGroups; ++group)
            all += parts[group * kDigits + found];
        if (all >= left || found == 0)
            break;
        left -= all;
    }
    selection[kLeftPlace] = left;
    selection[kBitsPlace] |= static_cast<std::int64_t>(found) << shift;
}

/// Numbers above the threshold, and of its size.
struct Chosen {
    int above;
    int equal;
};
STAGELENS_DEVICE Chosen chosenOf(float value, std::uint32_t threshold)
{
    const std::uint32_t bits = sizeBits(value);
    return {bits > threshold ? 1 : 0, bits == threshold ? 1 : 0};
}

/// counts[block] = what the block has of both.
STAGELENS_KERNEL(kThreads, 4)
countChosenKernel(std::int64_t *selection, const float *values, std::int64_t each, std::int64_t count)
{
    auto *const parts = reinterpret_cast<int *>(sharedBytes());
    const auto threshold = static_cast<std::uint32_t>(selection[kBitsPlace]);
    const std::int64_t first = blockIndex() * each;
    const std::int64_t end = first + each < count ? first + each : count;
    Chosen all{0, 0};
    for (std::int64_t i = first + threadIndex(); i < end; i += kThreads) {
        const Chosen one = chosenOf(values[i], threshold);
        all.above += one.above;
        all.equal += one.equal;
    }
    const int above = blockSum(all.above, parts);
    const int equal = blockSum(all.equal, parts + kWarps);
    if (threadIndex() == 0) {
        selection[kCounts + 2 * std::int64_t{blockIndex()}] = above;
        selection[kCounts + 2 * std::int64_t{blockIndex()} + 1] = equal;
    }
}

/// One block, a thread for each block of the others: replaces counts by the sums of those before.
STAGELENS_KERNEL(static_cast<int>(kMostBlocks), 1)
sumBeforeKernel(std::int64_t *selection, std::int64_t blocks)
{
    std::int64_t above = 0;
    std::int64_t equal = 0;
    for (std::int64_t block = 0; block < threadIndex() && block < blocks; ++block) {
        above += selection[kCounts + 2 * block];
        equal += selection[kCounts + 2 * block + 1];
    }
    syncBlock();
    if (threadIndex() < blocks) {
        selection[kCounts + 2 * std::int64_t{threadIndex()}] = above;
        selection[kCounts + 2 * std::int64_t{threadIndex()} + 1] = equal;
    }
}

/// Returns the sum over the lanes up to this one.
STAGELENS_DEVICE int sumUpToLane(int value)
{
    const int lane = threadIndex() % kWarpLanes;
#pragma unroll
    for (int distance = 1; distance < kWarpLanes; distance *= 2) {
        const int other = shuffleFrom(value, lane < distance ? lane : lane - distance);
        value += lane < distance ? 0 : other;
    }
    return value;
}

STAGELENS_KERNEL(kThreads, 4)
writeChosenKernel(float *message, float *residual, const std::int64_t *selection, std::int64_t each, std::int64_t count)
{
    constexpr int kHalf = 16; // a number of `above` and one of `equal` in one word
    constexpr int kLower = (1 << kHalf) - 1;
    auto *const parts = reinterpret_cast<int *>(sharedBytes());
    const auto threshold = static_cast<std::uint32_t>(selection[kBitsPlace]);
    const std::int64_t left = selection[kLeftPlace];
    std::int64_t above = selection[kCounts + 2 * std::int64_t{blockIndex()}];
    std::int64_t equal = selection[kCounts + 2 * std::int64_t{blockIndex()} + 1];
    const std::int64_t first = blockIndex() * each;
    const std::int64_t end = first + each < count ? first + each : count;
    for (std::int64_t begin = first; begin < end; begin += kThreads) {
        const std::int64_t at = begin + threadIndex();
        const float value = at < end ? residual[at] : 0.0F;
        const Chosen own = at < end ? chosenOf(value, threshold) : Chosen{0, 0};
        const int both = own.above + (own.equal << kHalf);
        const int upToLane = sumUpToLane(both);
        if (threadIndex() % kWarpLanes == kWarpLanes - 1)
            parts[threadIndex() / kWarpLanes] = upToLane;
        syncBlock();
        int before = upToLane - both;
        int all = 0;
        for (int warp = 0; warp < kWarps; ++warp) {
            before += warp < threadIndex() / kWarpLanes ? parts[warp] : 0;
            all += parts[warp];
        }
        syncBlock();
        const std::int64_t aboveBefore = above + (before & kLower);
        const std::int64_t equalBefore = equal + (before >> kHalf);
        if (own.above != 0 || (own.equal != 0 && equalBefore < left)) {
            const std::int64_t place = aboveBefore + (equalBefore < left ? equalBefore : left);
            message[2 * place] = value;
            message[2 * place + 1] = std::bit_cast<float>(static_cast<std::uint32_t>(at));
            residual[at] = 0.0F;
        }
        above += all & kLower;
        equal += all >> kHalf;
    }
}

/// The places of a message differ.
STAGELENS_KERNEL(kElementThreads, 4)
addAtPlacesKernel(float *sum, const float *message, std::int64_t chosen)
{
    eachPack<1, 1>(chosen, [&](std::int64_t i) {
        const auto place = std::bit_cast<std::uint32_t>(message[2 * i + 1]);
        sum[place] += message[2 * i];
    });
}

} // namespace

std::int64_t greatestScratch(std::int64_t count)
{
    return kCounts + kDigits * blocksOf(count);
}

Status encodeGreatest(Stream stream, float *message, float *residual, std::int64_t count, std::int64_t chosen,
                      std::int64_t *scratch)
{
    const std::int64_t each = elementsOfBlock(count);
    const std::int64_t blocks = blocksOf(count);
    Status status = launch<beginKernel>({1, kWarpLanes, 0, stream}, scratch, chosen);
    for (unsigned shift = 32; shift > 0 && !status.failed();) {
        shift -= kDigitBits;
        status =
            launch<countDigitsKernel>({blocks, kThreads, kWarps * kDigits * static_cast<std::int64_t>(sizeof(int)), stream},
                                      scratch, residual, shift, each, count);
        if (!status.failed())
            status = launch<chooseDigitKernel>(
                {1, kThreads, kThreads * static_cast<std::int64_t>(sizeof(std::int64_t)), stream}, scratch, shift, blocks);
    }
    if (status.failed())
        return status;
    constexpr std::int64_t kParts = kWarps * static_cast<std::int64_t>(sizeof(int));
    status = launch<countChosenKernel>({blocks, kThreads, 2 * kParts, stream}, scratch, residual, each, count);
    if (status.failed())
        return status;
    const int threads = static_cast<int>((blocks + kWarpLanes - 1) / kWarpLanes) * kWarpLanes;
    status = launch<sumBeforeKernel>({1, threads, 0, stream}, scratch, blocks);
    if (status.failed())
        return status;
    return launch<writeChosenKernel>({blocks, kThreads, kParts, stream}, message, residual, scratch, each, count);
}

Status decodeGreatest(Stream stream, float *sum, const Parts<float> &messages, std::int64_t count, std::int64_t chosen)
{
    Status status = setBytes(stream, sum, 0, static_cast<std::size_t>(count) * sizeof(float));
    for (int part = 0; part < messages.count && !status.failed(); ++part)
        status = launch<addAtPlacesKernel>(overElements(chosen, 1, stream, 1), sum, messages.at[part], chosen);
    return status;
}

} // namespace stagelens::kernels::gpu
