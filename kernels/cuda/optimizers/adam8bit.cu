// Adam with 8-bit moments. Bytes per element: 10 read (value, gradient, two codes), 10 written (the gradient is cleared): 20,
// and 16 per block for scales. About 150 instructions per element, a third of them divisions and roots: on the edge between
// memory and arithmetic. Target: 60 % of copy bandwidth.
//
// Bits are those of the CPU: products are rounded before they are added, and a code is the number of middles below its number.
#include "kernels/include/adam8bit.h"

#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/optimizers/adamw_step.h"

#include <bit>

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kEach = static_cast<int>(kCodeBlock) / kThreads; ///< elements of a thread in a block of codes
constexpr std::int64_t kBlocksOfThreads = 4;                   ///< blocks of codes that threads update one after the other
constexpr int kCodes = 256;
static_assert(kThreads == kCodes, "a thread writes an entry of each codebook");

/// Entries of both codebooks, which a launch passes by value.
struct Entries {
    float first[kCodes];
    float second[kCodes];
};
Entries entriesOf(const Codebook &both, const Codebook &positive)
{
    Entries entries;
    for (std::size_t i = 0; i < kCodes; ++i) {
        entries.first[i] = both.entries[i];
        entries.second[i] = positive.entries[i];
    }
    return entries;
}
const Entries kEntries = entriesOf(makeCodebook(true), makeCodebook(false));

/// A search reads middles that are multiples of a power of two apart. One float in 32 is left out, so that they are in
/// different banks of shared memory.
STAGELENS_DEVICE int placeOf(int middle)
{
    return middle + middle / kWarpLanes;
}
constexpr int kMiddles = kCodes + kCodes / kWarpLanes;

/// A codebook in shared memory.
struct SharedBook {
    float *entries; ///< [kCodes]
    float *middles; ///< [kMiddles], by placeOf()
};
constexpr int kBookFloats = kCodes + kMiddles;

STAGELENS_DEVICE SharedBook bookAt(float *shared)
{
    return {shared, shared + kCodes};
}
/// To be called by all threads after the entries are written.
STAGELENS_DEVICE void makeMiddles(const SharedBook &book)
{
    if (const int i = threadIndex(); i + 1 < kCodes)
        book.middles[placeOf(i)] = (book.entries[i] + book.entries[i + 1]) / 2;
}

/// W codes, the first in the lowest byte.
template <int W>
STAGELENS_DEVICE std::uint32_t loadCodes(const std::uint8_t *from)
{
    if constexpr (W == 1)
        return *from;
    else
        return *reinterpret_cast<const std::uint32_t *>(from);
}
template <int W>
STAGELENS_DEVICE void storeCodes(std::uint8_t *to, std::uint32_t codes)
{
    if constexpr (W == 1)
        *to = static_cast<std::uint8_t>(codes);
    else
        *reinterpret_cast<std::uint32_t *>(to) = codes;
}

template <int W>
STAGELENS_DEVICE Pack<W> decoded(const SharedBook &book, std::uint32_t codes, float scale)
{
    Pack<W> numbers;
#pragma unroll
    for (int i = 0; i < W; ++i)
        numbers.at[i] = book.entries[codes >> (8 * i) & 0xffU] * scale;
    return numbers;
}

/// Returns the code of the entry nearest to a number.
STAGELENS_DEVICE std::uint32_t codeOf(const SharedBook &book, float number)
{
    int found = 0;
#pragma unroll
    for (int half = kCodes / 2; half > 0; half /= 2)
        found += book.middles[placeOf(found + half - 1)] < number ? half : 0;
    return static_cast<std::uint32_t>(found);
}
template <int W>
STAGELENS_DEVICE std::uint32_t encoded(const SharedBook &book, const Pack<W> &numbers, float scale)
{
    const float divisor = scale > 0.0F ? scale : 1.0F;
    std::uint32_t codes = 0;
#pragma unroll
    for (int i = 0; i < W; ++i)
        codes |= codeOf(book, numbers.at[i] / divisor) << (8 * i);
    return codes;
}

template <int W>
STAGELENS_DEVICE float greatestOf(float most, const Pack<W> &numbers)
{
#pragma unroll
    for (int i = 0; i < W; ++i)
        most = std::fmax(most, std::fabs(numbers.at[i]));
    return most;
}

/// Updates W elements; returns their moments.
template <int W>
STAGELENS_DEVICE void update(float *values, float *gradient, Pack<W> &first, Pack<W> &second, const AdamWStep &step)
{
    const AdamW &s = step.settings;
    Pack<W> value = load<W>(values);
    const Pack<W> gradients = load<W>(gradient);
#pragma unroll
    for (int i = 0; i < W; ++i) {
        const float g = gradients.at[i] * s.gradientScale;
        const float m = productOf(s.beta1, first.at[i]) + productOf(1.0F - s.beta1, g);
        const float v = productOf(s.beta2, second.at[i]) + productOf(productOf(1.0F - s.beta2, g), g);
        first.at[i] = m;
        second.at[i] = v;
        value.at[i] =
            productOf(value.at[i], step.keep) - productOf(step.size, m / (std::sqrt(v) / step.rootCorrection + s.epsilon));
    }
    store<W>(values, value);
    store<W>(gradient, Pack<W>{});
}

/// Blocks of threads update kBlocksOfThreads of `all` blocks of codes, each with kEach elements per thread.
template <int W>
STAGELENS_KERNEL(kThreads, 2)
adam8bitKernel(float *values, float *gradient, const CodedMoments moments, const Entries entries, const AdamWStep step,
               std::int64_t all, std::int64_t columns)
{
    constexpr int kPacks = kEach / W;
    auto *const shared = reinterpret_cast<float *>(sharedBytes());
    const SharedBook firstBook = bookAt(shared);
    const SharedBook secondBook = bookAt(shared + kBookFloats);
    float *const parts = shared + 2 * kBookFloats;
    firstBook.entries[threadIndex()] = entries.first[threadIndex()];
    secondBook.entries[threadIndex()] = entries.second[threadIndex()];
    syncBlock();
    makeMiddles(firstBook);
    makeMiddles(secondBook);
    syncBlock();
    const std::int64_t ofRow = blocksOfRow(columns);
    for (std::int64_t each = 0; each < kBlocksOfThreads; ++each) {
        const std::int64_t block = blockIndex() * kBlocksOfThreads + each;
        if (block >= all)
            return;
        const std::int64_t column = block % ofRow * kCodeBlock;
        const std::int64_t begin = block / ofRow * columns + column;
        const std::int64_t count = columns - column < kCodeBlock ? columns - column : kCodeBlock;
        const float firstScale = moments.firstScales[block];
        const float secondScale = moments.secondScales[block];
        Pack<W> first[kPacks]{};
        Pack<W> second[kPacks]{};
        float firstMost = kMinusInfinity;
        float secondMost = kMinusInfinity;
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
            const std::int64_t place = std::int64_t{W} * (i * kThreads + threadIndex());
            if (place >= count)
                continue;
            first[i] = decoded<W>(firstBook, loadCodes<W>(moments.first + begin + place), firstScale);
            second[i] = decoded<W>(secondBook, loadCodes<W>(moments.second + begin + place), secondScale);
            update<W>(values + begin + place, gradient + begin + place, first[i], second[i], step);
            firstMost = greatestOf<W>(firstMost, first[i]);
            secondMost = greatestOf<W>(secondMost, second[i]);
        }
        firstMost = blockMaximum(firstMost, parts);
        secondMost = blockMaximum(secondMost, parts + kThreads / kWarpLanes);
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
            const std::int64_t place = std::int64_t{W} * (i * kThreads + threadIndex());
            if (place >= count)
                continue;
            storeCodes<W>(moments.first + begin + place, encoded<W>(firstBook, first[i], firstMost));
            storeCodes<W>(moments.second + begin + place, encoded<W>(secondBook, second[i], secondMost));
        }
        if (threadIndex() == 0) {
            moments.firstScales[block] = firstMost;
            moments.secondScales[block] = secondMost;
        }
    }
}

} // namespace

Status adam8bitStep(Stream stream, float *values, float *gradient, const CodedMoments &moments, std::int64_t rows,
                    std::int64_t columns, const AdamW &settings)
{
    const std::int64_t all = rows * blocksOfRow(columns);
    constexpr std::int64_t kShared = (2 * kBookFloats + 2 * kThreads / kWarpLanes) * static_cast<std::int64_t>(sizeof(float));
    const Launch how{(all + kBlocksOfThreads - 1) / kBlocksOfThreads, kThreads, kShared, stream};
    const bool isWhole = isWide<float>({values, gradient}, {columns}) &&
                         (reinterpret_cast<std::uintptr_t>(moments.first) | reinterpret_cast<std::uintptr_t>(moments.second)) %
                                 sizeof(std::uint32_t) ==
                             0;
    if (isWhole)
        return launch<adam8bitKernel<4>>(how, values, gradient, moments, kEntries, stepOf(settings), all, columns);
    return launch<adam8bitKernel<1>>(how, values, gradient, moments, kEntries, stepOf(settings), all, columns);
}

} // namespace stagelens::kernels::gpu
