// Rows initialised with a bias, sums over rows, and sums over the parts of ranks. Each byte is read or written once. One or two
// FLOPs per element: memory-bound. Target: 85 % of copy bandwidth.
//
// addColumnSums uses no atomics: blocks of 256 threads sum a run of rows for some columns, with eight groups of threads for
// every eighth row each; a second kernel adds their sums in the order of the runs.
#include "kernels/include/elementwise.h"

#include "kernels/cuda/column_sums.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kRuns = 32; ///< of rows, at most

std::int64_t rowsOfRun(std::int64_t rows)
{
    return (rows + kRuns - 1) / kRuns;
}
std::int64_t runsOf(std::int64_t rows)
{
    return rows == 0 ? 0 : (rows + rowsOfRun(rows) - 1) / rowsOfRun(rows);
}

template <class T, int W>
STAGELENS_KERNEL(kThreads, 4)
fillKernel(T *out, const T *bias, const T *residual, std::int64_t width)
{
    const std::int64_t begin = blockIndex() * width;
    forEachPack<W>(bias, width, [&](std::int64_t column, const Raw<T, W> &raw) {
        Pack<W> x = unpack(raw);
        if (residual != nullptr) {
            const Pack<W> more = load<W>(residual + begin + column);
#pragma unroll
            for (int i = 0; i < W; ++i)
                x.at[i] += more.at[i];
        }
        store<W>(out + begin + column, x);
    });
}

/// Block (columns, run of rows).
template <class T, int W>
STAGELENS_KERNEL(kColumnsOfBlock *kGroups, 4)
runsKernel(float *sums, const T *in, std::int64_t rows, std::int64_t each, std::int64_t width)
{
    constexpr int kColumns = kColumnsOfBlock * W;
    auto *groups = reinterpret_cast<float *>(sharedBytes()); // [group][column]
    const int lane = threadIndex() % kColumnsOfBlock;
    const int group = threadIndex() / kColumnsOfBlock;
    const std::int64_t firstColumn = std::int64_t{blockIndex()} * kColumns;
    const std::int64_t column = firstColumn + lane * W;
    const std::int64_t first = blockIndexY() * each;
    const std::int64_t end = first + each < rows ? first + each : rows;
    Pack<W> sum{};
    if (column < width) {
#pragma unroll 4
        for (std::int64_t row = first + group; row < end; row += kGroups) {
            const Pack<W> x = load<W>(in + row * width + column);
#pragma unroll
            for (int i = 0; i < W; ++i)
                sum.at[i] += x.at[i];
        }
    }
#pragma unroll
    for (int i = 0; i < W; ++i)
        groups[group * kColumns + i * kColumnsOfBlock + lane] = sum.at[i];
    syncBlock();
    for (int place = threadIndex(); place < kColumns; place += kColumnsOfBlock * kGroups) {
        const std::int64_t to = firstColumn + place % kColumnsOfBlock * W + place / kColumnsOfBlock;
        float all = 0;
        for (int i = 0; i < kGroups; ++i)
            all += groups[i * kColumns + place];
        if (to < width)
            sums[blockIndexY() * width + to] = all;
    }
}

template <class T, int W>
STAGELENS_KERNEL(kThreads, 4)
scaledPartsKernel(T *out, const Parts<T> parts, const float *factors, std::int64_t rows, std::int64_t width)
{
    const std::int64_t begin = blockIndex() * width;
    for (std::int64_t column = std::int64_t{W} * threadIndex(); column < width; column += std::int64_t{W} * blockThreads()) {
        Pack<W> sum{};
#pragma unroll 4
        for (int part = 0; part < parts.count; ++part) {
            const Pack<W> x = load<W>(parts.at[part] + begin + column);
            const float factor = factors[part * rows + blockIndex()];
#pragma unroll
            for (int i = 0; i < W; ++i) {
                const float scaled = productOf(x.at[i], factor);
                sum.at[i] = part == 0 ? scaled : sum.at[i] + scaled;
            }
        }
        store<W>(out + begin + column, sum);
    }
}

} // namespace

template <class T>
Status fillRows(Stream stream, T *out, const T *bias, const T *residual, std::int64_t rows, std::int64_t width)
{
    if (isWide<T>({out, bias, residual}, {width}))
        return launch<fillKernel<T, kWide<T>>>({rows, threadsForRow(width / kWide<T>, kThreads), 0, stream}, out, bias,
                                               residual, width);
    return launch<fillKernel<T, 1>>({rows, threadsForRow(width, kThreads), 0, stream}, out, bias, residual, width);
}

std::int64_t columnSumsScratch(std::int64_t rows, std::int64_t width)
{
    return runsOf(rows) * width;
}

template <class T>
Status addColumnSums(Stream stream, float *sums, const T *in, std::int64_t rows, std::int64_t width, float *scratch)
{
    const std::int64_t runs = runsOf(rows);
    const auto launchOf = [&](int w) {
        const std::int64_t columns = std::int64_t{kColumnsOfBlock} * w;
        return Launch{(width + columns - 1) / columns, kColumnsOfBlock * kGroups,
                      columns * kGroups * static_cast<std::int64_t>(sizeof(float)), stream, runs};
    };
    const Status status = isWide<T>({in}, {width})
                              ? launch<runsKernel<T, kWide<T>>>(launchOf(kWide<T>), scratch, in, rows, rowsOfRun(rows), width)
                              : launch<runsKernel<T, 1>>(launchOf(1), scratch, in, rows, rowsOfRun(rows), width);
    return status.failed() ? status : addBlockSums(stream, sums, scratch, runs, width, width);
}

template <class T>
Status sumScaledParts(Stream stream, T *out, const Parts<T> &parts, const float *factors, std::int64_t rows, std::int64_t width)
{
    if (parts.count < 1 || parts.count > kMostParts)
        return kUnsupported;
    bool isWhole = isWide<T>({out}, {width});
    for (int i = 0; i < parts.count; ++i)
        isWhole = isWhole && isWide<T>({parts.at[i]}, {});
    if (isWhole)
        return launch<scaledPartsKernel<T, kWide<T>>>({rows, threadsForRow(4 * width / kWide<T>, kThreads), 0, stream}, out,
                                                      parts, factors, rows, width);
    return launch<scaledPartsKernel<T, 1>>({rows, threadsForRow(width, kThreads), 0, stream}, out, parts, factors, rows, width);
}

#define STAGELENS_ROW_SUMS_OF(T)                                                                                               \
    template Status fillRows(Stream, T *, const T *, const T *, std::int64_t, std::int64_t);                                   \
    template Status addColumnSums(Stream, float *, const T *, std::int64_t, std::int64_t, float *);                            \
    template Status sumScaledParts(Stream, T *, const Parts<T> &, const float *, std::int64_t, std::int64_t);
STAGELENS_EVERY_TYPE(STAGELENS_ROW_SUMS_OF)
#undef STAGELENS_ROW_SUMS_OF

} // namespace stagelens::kernels::gpu
