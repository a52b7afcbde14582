// Causal attention, forward: FlashAttention-2 (arXiv 2307.08691) on mma.sync, for compute capability 8.0 and later.
//
// FLOPs: 4 heads size per visible pair of query and key, so 2 heads size sequence^2 per sequence; the tiles on the diagonal add
// about 2 % at 4096 tokens. Bytes: queries and output once, keys and values once per tile of queries, mostly from L2: bound by
// the tensor cores. Target: 60 % of cuDNN's forward on the same GPU, about 350 TFLOP/s on an H200 at 4096 tokens and heads of
// 128. mma.sync reaches about 60 % of the 990 TFLOP/s of wgmma.
//
// A block has 128 queries of one head, 32 per warp: each fragment of keys and values that a warp loads serves two products, 128
// bytes of shared memory per product, which four partitions of a multiprocessor can load at full rate. cp.async loads keys and
// values in two stages, with one barrier per tile. Sums and scores use all registers (255 per thread), which allows two blocks
// of 128 threads per multiprocessor; shared memory, 48 KiB for heads of 64 and 64 KiB for heads of 128, would allow three.
#include "kernels/cuda/attention_plain.h"
#include "kernels/cuda/tiles.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 128;
constexpr int kQueries = 128;
constexpr int kBlocks = 2; ///< of 16 queries a warp
constexpr int kRowsOfWarp = 16 * kBlocks;
/// Keys per tile: as many as fit with the scores, sums and queries of a warp in 255 registers per thread.
template <int Size>
constexpr int kKeys = Size == 64 ? 64 : 32;

template <int Size>
constexpr std::int64_t kShared = (kQueries + 4 * kKeys<Size>)*Size *static_cast<std::int64_t>(sizeof(Bf16));

/// The state of a lane for its rows: blocks of 16, two rows each.
struct Rows {
    float maximum[kBlocks][2];
    float sum[kBlocks][2]; ///< of the lane's own columns
};

STAGELENS_DEVICE float quadMaximum(float value)
{
    value = std::fmax(value, shuffleXor(value, 1));
    return std::fmax(value, shuffleXor(value, 2));
}

/// Replaces scores by probabilities relative to the maximum so far, and rescales earlier sums. Masked keys count as -infinity:
/// key firstKey + j is masked for query firstQuery + i if j - i > firstQuery - firstKey.
template <int Size>
STAGELENS_DEVICE void takeScores(Sums<kKeys<Size>> (&scores)[kBlocks], Sums<Size> (&out)[kBlocks], Rows &rows, int ahead,
                                 float scale)
{
#pragma unroll
    for (int m = 0; m < kBlocks; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int last = ahead + 16 * m + 8 * half + laneRow(); // the last column that this row sees
            float maximum = rows.maximum[m][half];
#pragma unroll
            for (int j = 0; j < kKeys<Size> / 8; ++j)
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    float &score = scores[m].at[j][2 * half + i];
                    if (ahead < kKeys<Size> && 8 * j + laneColumn() + i > last)
                        score = kMinusInfinity;
                    maximum = std::fmax(maximum, score);
                }
            maximum = quadMaximum(maximum);
            const float correction = exp2Fast((rows.maximum[m][half] - maximum) * scale);
            const float base = maximum * scale;
            rows.maximum[m][half] = maximum;
            float sum = rows.sum[m][half] * correction;
#pragma unroll
            for (int j = 0; j < kKeys<Size> / 8; ++j)
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    float &score = scores[m].at[j][2 * half + i];
                    score = exp2Fast(std::fma(score, scale, -base));
                    sum += score;
                }
            rows.sum[m][half] = sum;
            // Maxima rarely rise after the first tiles, and multiplying by 1 changes nothing.
            if (anyOf(correction != 1.0F))
#pragma unroll
                for (int j = 0; j < Size / 8; ++j) {
                    out[m].at[j][2 * half] *= correction;
                    out[m].at[j][2 * half + 1] *= correction;
                }
        }
}

/// Block (head, sequence of the batch, tile of queries), the last one slowest.
template <int Size>
STAGELENS_KERNEL(kThreads, 2)
forwardKernel(Bf16 *out, float *logSumExp, const Bf16 *qkv, AttentionShape shape)
{
    // The last tiles have the most keys, so they start first.
    const int firstQuery = (gridBlocksZ() - 1 - blockIndexZ()) * kQueries;
    const int sequence = static_cast<int>(shape.sequence);
    const int head = blockIndex();
    const std::int64_t firstToken = blockIndexY() * shape.sequence;
    const std::int64_t stride = shape.qkvWidth();
    const Bf16 *base = qkv + firstToken * stride;
    const Bf16 *keys = base + shape.width() + head / (shape.heads / shape.kvHeads) * Size;

    auto *queryTile = reinterpret_cast<Bf16 *>(sharedBytes());
    Bf16 *stages = queryTile + kQueries * Size;
    const auto fetch = [&](int firstKey, int stage) {
        Bf16 *to = stages + stage * 2 * kKeys<Size> * Size;
        const Bf16 *from = keys + firstKey * stride;
        copyTile<Size, kKeys<Size>, kThreads>(to, from, stride, sequence - firstKey);
        copyTile<Size, kKeys<Size>, kThreads>(to + kKeys<Size> * Size, from + shape.kvWidth(), stride, sequence - firstKey);
        commitCopies();
    };
    copyTile<Size, kQueries, kThreads>(queryTile, base + firstQuery * stride + head * Size, stride, sequence - firstQuery);
    fetch(0, 0);

    const int warpRow = threadIndex() / kWarpLanes * kRowsOfWarp;
    const float share = 1.0F / std::sqrt(static_cast<float>(Size));
    const float scale = share * kLog2E;
    const int end = firstQuery + kQueries < sequence ? firstQuery + kQueries : sequence;
    Sums<Size> sums[kBlocks];
    Rows rows;
#pragma unroll
    for (int m = 0; m < kBlocks; ++m) {
        sums[m].clear();
        rows.maximum[m][0] = rows.maximum[m][1] = kMinusInfinity;
        rows.sum[m][0] = rows.sum[m][1] = 0;
    }
    int stage = 0;
    for (int firstKey = 0; firstKey < end; firstKey += kKeys<Size>, stage ^= 1) {
        waitForCopies<0>();
        syncBlock(); // this tile is complete, and no thread still reads the other stage
        if (firstKey + kKeys<Size> < end)
            fetch(firstKey + kKeys<Size>, stage ^ 1);
        const int ahead = firstQuery - firstKey + warpRow;
        if (ahead + kRowsOfWarp <= 0)
            continue; // all keys are masked for all queries of the warp
        Bf16 *keyTile = stages + stage * 2 * kKeys<Size> * Size;
        Sums<kKeys<Size>> scores[kBlocks];
#pragma unroll
        for (int m = 0; m < kBlocks; ++m)
            scores[m].clear();
        addProductTransposed<Size>(scores, queryTile, warpRow, keyTile);
        takeScores(scores, sums, rows, ahead, scale);
        addProduct<Size>(sums, scores, keyTile + kKeys<Size> * Size);
    }

    // Only the warp itself reads its queries, so its part of their tile can be overwritten with its output.
    syncWarp();
#pragma unroll
    for (int m = 0; m < kBlocks; ++m) {
        float factor[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float sum = rows.sum[m][half];
            sum += shuffleXor(sum, 1);
            sum += shuffleXor(sum, 2);
            factor[half] = 1.0F / sum;
            const int query = firstQuery + warpRow + 16 * m + 8 * half + laneRow();
            if (laneColumn() == 0 && query < sequence)
                logSumExp[(blockIndexY() * shape.heads + head) * shape.sequence + query] =
                    rows.maximum[m][half] * share + std::log(sum);
        }
        putSums(queryTile, warpRow + 16 * m, sums[m], factor);
    }
    syncBlock();
    writeTile<Size, kQueries, kThreads>(out + (firstToken + firstQuery) * shape.width() + head * Size, queryTile, shape.width(),
                                        sequence - firstQuery);
}

} // namespace

template <class T>
Status attentionForward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape)
{
    if (!isShape(shape))
        return kUnsupported;
    if constexpr (std::is_same_v<T, Bf16>) {
        const std::int64_t tiles = (shape.sequence + kQueries - 1) / kQueries;
        Launch how{shape.heads, kThreads, kShared<64>, stream, shape.batch, tiles};
        const bool isWhole = isWide<T>({out, qkv}, {});
        if (isWhole && shape.size == 64)
            return launch<forwardKernel<64>>(how, out, logSumExp, qkv, shape);
        how.sharedBytes = kShared<128>;
        if (isWhole && shape.size == 128)
            return launch<forwardKernel<128>>(how, out, logSumExp, qkv, shape);
    }
    return plainAttentionForward(stream, out, logSumExp, qkv, shape);
}

template Status attentionForward(Stream, float *, float *, const float *, const AttentionShape &);
template Status attentionForward(Stream, Bf16 *, float *, const Bf16 *, const AttentionShape &);

} // namespace stagelens::kernels::gpu
