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
//
// A kernel of its own (`IsPart`) computes chunks of a sequence that see separate keys, so that whole sequences cost nothing
// more.
#include "kernels/cuda/attention/plain.h"
#include "kernels/cuda/attention/query_tiles.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 128;
constexpr int kQueries = 128;
constexpr int kBlocks = 2; ///< of 16 queries a warp
constexpr int kRowsOfWarp = 16 * kBlocks;
/// Keys per tile: as many as fit with the scores, sums and queries of a warp in 255 registers per thread.
template <int Size>
constexpr int kKeys = Size == 64 ? 64 : 32;

constexpr std::int64_t kBytes = 2; ///< of a number
template <int Size>
constexpr std::int64_t kTiles = (kQueries + 4 * kKeys<Size>)*Size *kBytes;
template <int Size, bool IsPart>
constexpr std::int64_t kShared = kTiles<Size> + (IsPart ? static_cast<std::int64_t>(sizeof(QueryTile)) : 0);

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
/// key firstKey + j is masked for query firstQuery + i if j - i > firstQuery - firstKey, and from `keys` on.
template <int Size, bool IsPart>
STAGELENS_DEVICE void takeScores(Sums<kKeys<Size>> (&scores)[kBlocks], Sums<Size> (&out)[kBlocks], Rows &rows, int ahead,
                                 int keys, float scale)
{
    const bool isMasked = ahead < kKeys<Size> || (IsPart && keys < kKeys<Size>);
#pragma unroll
    for (int m = 0; m < kBlocks; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int last = lastSeen<IsPart>(ahead + 16 * m + 8 * half + laneRow(), keys); // the last column of this row
            float maximum = rows.maximum[m][half];
#pragma unroll
            for (int j = 0; j < kKeys<Size> / 8; ++j)
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    float &score = scores[m].at[j][2 * half + i];
                    if (isMasked && 8 * j + laneColumn() + i > last)
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

/// Replaces a row of sums by the output of its keys and earlier parts, whose output is in `out`, and returns the new
/// log-sum-exp.
template <int Size, class T>
STAGELENS_DEVICE float joined(Sums<Size> &sums, int half, float sum, float logSumExp, float before, const T *out)
{
    const float top = std::fmax(before, logSumExp);
    const float now = exp2Fast((logSumExp - top) * kLog2E);
    const float earlier = exp2Fast((before - top) * kLog2E);
    const float all = now + earlier;
    scaleRow(sums, half, now / (sum * all), true);
    addRow(sums, half, earlier / all, out);
    return top + std::log(all);
}

/// Block (head, sequence of the batch, tile of queries), the last one slowest.
template <class T, int Size, bool IsPart>
STAGELENS_KERNEL(kThreads, 2)
forwardKernel(T *out, float *logSumExp, const T *qkv, const T *separate, AttentionShape shape)
{
    // The last tiles have the most keys, so they start first.
    const auto tile = queriesOf<IsPart, kQueries>(shape, gridBlocksZ() - 1 - blockIndexZ());
    const int firstQuery = tile.row;
    const int head = blockIndex();
    const std::int64_t firstToken = blockIndexY() * shape.sequence;
    const std::int64_t stride = shape.qkvWidth();
    const T *base = qkv + firstToken * stride;
    const T *keys = base + shape.width();
    std::int64_t keyStride = stride;
    if constexpr (IsPart) {
        keyStride = 2 * shape.kvWidth();
        keys = separate + blockIndexY() * shape.positions() * keyStride;
    }
    keys += head / (shape.heads / shape.kvHeads) * Size;

    auto *queryTile = reinterpret_cast<T *>(sharedBytes());
    T *stages = queryTile + kQueries * Size;
    const auto fetch = [&](int firstKey, int stage) {
        T *to = stages + stage * 2 * kKeys<Size> * Size;
        const T *from = keys + firstKey * keyStride;
        copyTile<Size, kKeys<Size>, kThreads>(to, from, keyStride, tile.keys - firstKey);
        copyTile<Size, kKeys<Size>, kThreads>(to + kKeys<Size> * Size, from + shape.kvWidth(), keyStride, tile.keys - firstKey);
        commitCopies();
    };
    copyTile<Size, kQueries, kThreads>(queryTile, base + firstQuery * stride + head * Size, stride, tile.end - firstQuery);
    fetch(0, 0);

    // Of a part, kept in shared memory: registers are short.
    auto *kept = reinterpret_cast<QueryTile *>(sharedBytes() + kTiles<Size>);
    if (IsPart && threadIndex() == 0)
        *kept = tile;

    const int warpRow = threadIndex() / kWarpLanes * kRowsOfWarp;
    const float share = 1.0F / std::sqrt(static_cast<float>(Size));
    const float scale = share * kLog2E;
    const int end = tile.position + kQueries < tile.keys ? tile.position + kQueries : tile.keys;
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
        const int ahead = tile.position - firstKey + warpRow;
        if (ahead + kRowsOfWarp <= 0)
            continue; // all keys are masked for all queries of the warp
        T *keyTile = stages + stage * 2 * kKeys<Size> * Size;
        Sums<kKeys<Size>> scores[kBlocks];
#pragma unroll
        for (int m = 0; m < kBlocks; ++m)
            scores[m].clear();
        addProductTransposed<Size>(scores, queryTile, warpRow, keyTile);
        takeScores<Size, IsPart>(scores, sums, rows, ahead, tile.keys - firstKey, scale);
        addProduct<Size>(sums, scores, keyTile + kKeys<Size> * Size);
    }

    // Only the warp itself reads its queries, so its part of their tile can be overwritten with its output.
    syncWarp();
    const int firstRow = IsPart ? kept->row : firstQuery;
    const int endRow = IsPart ? kept->end : tile.end;
#pragma unroll
    for (int m = 0; m < kBlocks; ++m) {
        float factor[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float sum = rows.sum[m][half];
            sum += shuffleXor(sum, 1);
            sum += shuffleXor(sum, 2);
            factor[half] = 1.0F / sum;
            const int query = firstRow + warpRow + 16 * m + 8 * half + laneRow();
            const std::int64_t at = (blockIndexY() * shape.heads + head) * shape.sequence + query;
            float total = rows.maximum[m][half] * share + std::log(sum);
            if (IsPart && shape.extends && query < endRow) {
                const T *before = out + (firstToken + query) * shape.width() + head * Size + laneColumn();
                total = joined(sums[m], half, sum, total, logSumExp[at], before);
                factor[half] = 1;
            }
            if constexpr (IsPart)
                syncWarp(); // every lane has read the sum of earlier parts
            if (laneColumn() == 0 && query < endRow)
                logSumExp[at] = total;
        }
        putSums(queryTile, warpRow + 16 * m, sums[m], factor);
    }
    syncBlock();
    writeTile<Size, kQueries, kThreads>(out + (firstToken + firstRow) * shape.width() + head * Size, queryTile, shape.width(),
                                        endRow - firstRow);
}

/// Starts the kernel of whole sequences or the one of parts.
template <int Size, class T>
Status start(Stream stream, T *out, float *logSumExp, const T *qkv, const T *separate, const AttentionShape &shape)
{
    Launch how{shape.heads, kThreads, kShared<Size, false>, stream, shape.batch, queryTiles<kQueries>(shape)};
    if (shape.keys == 0)
        return launch<forwardKernel<T, Size, false>>(how, out, logSumExp, qkv, separate, shape);
    how.sharedBytes = kShared<Size, true>;
    return launch<forwardKernel<T, Size, true>>(how, out, logSumExp, qkv, separate, withVisibleKeys(shape));
}

} // namespace

template <class T>
Status attentionForward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape,
                        const KeysOf<T> &keys)
{
    if (!isShape(shape))
        return kUnsupported;
    if constexpr (!std::is_same_v<T, float>) {
        const bool isWhole = isWide<T>({out, qkv, keys.rows}, {});
        if (isWhole && shape.size == 64)
            return start<64>(stream, out, logSumExp, qkv, keys.rows, shape);
        if (isWhole && shape.size == 128)
            return start<128>(stream, out, logSumExp, qkv, keys.rows, shape);
    }
    return plainAttentionForward(stream, out, logSumExp, qkv, shape, keys);
}

#define STAGELENS_ATTENTION_OF(T)                                                                                              \
    template Status attentionForward(Stream, T *, float *, const T *, const AttentionShape &, const KeysOf<T> &);
STAGELENS_EVERY_TYPE(STAGELENS_ATTENTION_OF)
#undef STAGELENS_ATTENTION_OF

} // namespace stagelens::kernels::gpu
