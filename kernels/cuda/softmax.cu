// Softmax over the rows of a shard of logits [rows, columns].
//
// An exponential costs one ex2 per element: with 16 per clock and multiprocessor an H200 computes 3.7e12 per second, more than
// the 2.1e12 bfloat16 logits that its memory delivers, so all kernels are memory-bound. Bytes per element of T: statistics and
// maxima sizeof(T), the others 2 sizeof(T). Target: 85 % of copy bandwidth.
//
// One block per row. localSoftmax keeps a row in shared memory, as T, until its maximum is known; each thread reads back its
// own packs without a barrier. 32768 bfloat16 take 64 KiB, so a multiprocessor has three blocks of 512 threads, one of which
// reads while another writes.
#include "kernels/include/softmax.h"

#include "kernels/cuda/rows.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kMostThreads = 512; ///< some multiprocessors hold at most three such blocks
constexpr int kMostWarps = kMostThreads / kWarpLanes;
constexpr std::int64_t kRowOnChip = 96 * 1024;

/// Returns the reference of the exponents; 0 if the maximum is -infinity.
STAGELENS_DEVICE float baseOf(float maximum)
{
    return maximum == kMinusInfinity ? 0.0F : maximum;
}
STAGELENS_DEVICE float expOf(float x)
{
    return exp2Fast(x * kLog2E);
}

template <int W>
STAGELENS_DEVICE float maximumOf(const Pack<W> &pack)
{
    float maximum = pack.at[0];
#pragma unroll
    for (int i = 1; i < W; ++i)
        maximum = std::fmax(maximum, pack.at[i]);
    return maximum;
}

/// Calls use(column, raw) for the packs of this thread, then for the elements of a row that fill no pack, one each.
template <int W, class T, class Use>
STAGELENS_DEVICE void forEachInRow(const T *row, std::int64_t columns, const Use &use)
{
    const std::int64_t whole = columns / W * W;
    forEachPack<W>(row, whole, use);
    if (W > 1 && whole + threadIndex() < columns)
        use(whole + threadIndex(), loadRaw<1>(row + whole + threadIndex()));
}

/// Returns the logit of the label; 0 if it is not local.
template <class T>
STAGELENS_DEVICE float labelLogit(const LogitShardOf<T> &shard, const T *row, std::int32_t label)
{
    const std::int64_t column = shard.local(label);
    return column < 0 ? 0.0F : numberOf(row[column]);
}

template <class T, int W>
STAGELENS_KERNEL(kMostThreads, 3)
maximaKernel(float *maximum, float *target, LogitShardOf<T> shard, const std::int32_t *labels)
{
    const int row = blockIndex();
    const T *logits = shard.logits + row * shard.rowStride();
    float top = kMinusInfinity;
    forEachInRow<W>(logits, shard.columns,
                    [&](std::int64_t, const auto &raw) { top = std::fmax(top, maximumOf(unpack(raw))); });
    top = blockMaximum(top, reinterpret_cast<float *>(sharedBytes()));
    if (threadIndex() == 0) {
        maximum[row] = top;
        target[row] = labelLogit(shard, logits, labels[row]);
    }
}

/// Replaces the packs of a thread by exponentials, from `from` to the row itself; returns their sum.
template <int W, class T>
STAGELENS_DEVICE float exponentiatePacks(T *logits, const T *from, std::int64_t columns, float base)
{
    float part = 0;
    forEachInRow<W>(from, columns, [&]<int Width>(std::int64_t column, const Raw<T, Width> &raw) {
        Pack<Width> pack = unpack(raw);
#pragma unroll
        for (int i = 0; i < Width; ++i) {
            pack.at[i] = expOf(pack.at[i] - base);
            part += pack.at[i];
        }
        store<Width>(logits + column, pack);
    });
    return part;
}

template <class T, int W>
STAGELENS_KERNEL(kMostThreads, 3)
exponentiateKernel(float *sum, const float *maximum, LogitShardOf<T> shard)
{
    const int row = blockIndex();
    T *logits = shard.logits + row * shard.rowStride();
    const float part = exponentiatePacks<W>(logits, logits, shard.columns, baseOf(maximum[row]));
    const float all = blockSum(part, reinterpret_cast<float *>(sharedBytes()));
    if (threadIndex() == 0)
        sum[row] = all;
}

/// With OnChip the row is kept in shared memory, after the parts of the two reductions; otherwise it is read again. Since
/// sm_100, and where halves are unpacked, the registers that three blocks have do not suffice.
template <class T, int W, bool OnChip>
STAGELENS_KERNEL(kMostThreads, OnChip &&STAGELENS_ARCHITECTURE < 100 && (!std::is_same_v<T, Fp16>) ? 3 : 2)
localSoftmaxKernel(float *maximum, float *sum, float *target, LogitShardOf<T> shard, const std::int32_t *labels)
{
    auto *parts = reinterpret_cast<float *>(sharedBytes());
    T *kept = reinterpret_cast<T *>(parts + 2 * kMostWarps);
    const int row = blockIndex();
    T *logits = shard.logits + row * shard.rowStride();
    const std::int32_t label = labels[row]; // loaded by all threads before the row, to hide the latency
    if constexpr (!OnChip)
        if (threadIndex() == 0)
            target[row] =
                labelLogit(shard, logits, label); // before the barrier of blockMaximum(), because it is overwritten later
    float top = kMinusInfinity;
    forEachInRow<W>(logits, shard.columns, [&]<int Width>(std::int64_t column, const Raw<T, Width> &raw) {
        if constexpr (OnChip)
            storeRaw<Width>(kept + column, raw);
        top = std::fmax(top, maximumOf(unpack(raw)));
    });
    top = blockMaximum(top, parts);
    if constexpr (OnChip)
        if (threadIndex() == 0)
            target[row] =
                labelLogit(shard, kept, label); // in the pack of any thread, complete since the barrier and never overwritten
    const float part = exponentiatePacks<W>(logits, OnChip ? kept : logits, shard.columns, baseOf(top));
    const float all = blockSum(part, parts + kMostWarps);
    if (threadIndex() == 0) {
        maximum[row] = top;
        sum[row] = all;
    }
}

/// Calls start(width of a pack, threads) with values for the rows of the shard.
template <class T, class Start>
Status startRows(const LogitShardOf<T> &shard, const Start &start)
{
    if (isWide<T>({shard.logits}, {shard.rowStride()}))
        return start(std::integral_constant<int, kWide<T>>{}, threadsForRow(shard.columns / kWide<T>, kMostThreads));
    return start(std::integral_constant<int, 1>{}, threadsForRow(shard.columns, kMostThreads));
}

} // namespace

template <class T>
Status rowMaxima(Stream stream, float *maximum, float *target, const LogitShardOf<T> &shard, const std::int32_t *labels)
{
    return startRows(shard, [&](auto width, int threads) {
        return launch<maximaKernel<T, width()>>({shard.rows, threads, kMostWarps * sizeof(float), stream}, maximum, target,
                                                shard, labels);
    });
}

template <class T>
Status exponentiate(Stream stream, float *sum, const float *maximum, const LogitShardOf<T> &shard)
{
    return startRows(shard, [&](auto width, int threads) {
        return launch<exponentiateKernel<T, width()>>({shard.rows, threads, kMostWarps * sizeof(float), stream}, sum, maximum,
                                                      shard);
    });
}

template <class T>
Status localSoftmax(Stream stream, float *maximum, float *sum, float *target, const LogitShardOf<T> &shard,
                    const std::int32_t *labels)
{
    constexpr std::int64_t kParts = 2 * kMostWarps * sizeof(float);
    const std::int64_t row = shard.columns * static_cast<std::int64_t>(sizeof(T));
    return startRows(shard, [&](auto width, int threads) {
        if (row > kRowOnChip || kParts + row > mostSharedBytes())
            return launch<localSoftmaxKernel<T, width(), false>>({shard.rows, threads, kParts, stream}, maximum, sum, target,
                                                                 shard, labels);
        return launch<localSoftmaxKernel<T, width(), true>>({shard.rows, threads, kParts + row, stream}, maximum, sum, target,
                                                            shard, labels);
    });
}

#define STAGELENS_SOFTMAX_OF(T)                                                                                                \
    template Status rowMaxima(Stream, float *, float *, const LogitShardOf<T> &, const std::int32_t *);                        \
    template Status exponentiate(Stream, float *, const float *, const LogitShardOf<T> &);                                     \
    template Status localSoftmax(Stream, float *, float *, float *, const LogitShardOf<T> &, const std::int32_t *);
STAGELENS_EVERY_TYPE(STAGELENS_SOFTMAX_OF)
#undef STAGELENS_SOFTMAX_OF

} // namespace stagelens::kernels::gpu
