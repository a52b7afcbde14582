// Causal attention, backward, after FlashAttention-2 (arXiv 2307.08691), but with two kernels instead of one with atomics: the
// first iterates over the keys of a tile of queries and sums the gradients of the queries, the second over the queries of a
// tile of keys (of all heads that share them, in order) and sums those of keys and values. The order of every sum is fixed, so
// equal calls give equal bits.
//
// FLOPs: 3 and 4 products of 2 size per pair: 3.5 times the forward, where one kernel with atomics needs 2.5 times. Target: 50
// % of cuDNN's backward on the same GPU, counted as 2.5 times: about 235 TFLOP/s on an H200 at 4096 tokens and heads of 128.
//
// A warp has 16 queries (or keys). Scores stay in its registers, transposed in the second kernel, so that probabilities and
// their gradients can be left operands. Registers (255 per thread) allow two blocks of 128 threads per multiprocessor, as does
// shared memory on Hopper with heads of 128 (96 KiB and 64 KiB).
//
// Kernels of their own (`IsPart`) compute chunks of a sequence that see separate keys, as in the forward.
#include "kernels/cuda/attention/plain.h"
#include "kernels/cuda/attention/query_tiles.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 128;
constexpr int kRows = 64; ///< queries of a block of the first kernel and keys of its tiles; keys of a block of the second
/// Queries per tile of the second kernel: as many as fit with the sums and scores of a warp in 255 registers per thread.
template <int Size>
constexpr int kQueries = Size == 64 ? 64 : 32;
constexpr int kRowsOfWarp = 16;

constexpr std::int64_t kBytes = 2; ///< of a number
template <int Size>
constexpr std::int64_t kTile = std::int64_t{kRows} * Size;

/// The arguments of a launch.
template <class T>
struct Attention {
    T *qkvGradient;
    const T *outGradient;
    const T *qkv;
    const float *logSumExp;
    const float *delta; ///< [batch, heads, sequence]: sum of out * its gradient
    AttentionShape shape;
    KeysOf<T> separate; ///< read with `IsPart`
};

/// A group of size / 8 lanes sums one head of one token.
template <class T, int Size>
STAGELENS_KERNEL(kThreads, 8)
deltaKernel(float *delta, const T *out, const T *outGradient, AttentionShape shape)
{
    constexpr int kLanes = Size / 8;
    const std::int64_t item = (std::int64_t{blockIndex()} * kThreads + threadIndex()) / kLanes;
    const bool isItem = item < shape.batch * shape.sequence * shape.heads;
    float sum = 0;
    if (isItem) {
        const std::int64_t at = item * Size + threadIndex() % kLanes * 8;
        const Pack<8> y = load<8>(out + at);
        const Pack<8> dy = load<8>(outGradient + at);
#pragma unroll
        for (int i = 0; i < 8; ++i)
            sum += y.at[i] * dy.at[i];
    }
#pragma unroll
    for (int mask = kLanes / 2; mask > 0; mask /= 2)
        sum += shuffleXor(sum, mask);
    const std::int64_t token = item / shape.heads;
    if (isItem && threadIndex() % kLanes == 0)
        delta[(token / shape.sequence * shape.heads + item % shape.heads) * shape.sequence + token % shape.sequence] = sum;
}

/// Block (head, sequence of the batch, tile of queries), the last one slowest.
template <class T, int Size, bool IsPart>
STAGELENS_KERNEL(kThreads, 2)
queryKernel(Attention<T> all)
{
    const AttentionShape &shape = all.shape;
    // The last tiles have the most keys, so they start first.
    const auto tile = queriesOf<IsPart, kRows>(shape, gridBlocksZ() - 1 - blockIndexZ());
    const int firstQuery = tile.row;
    const int head = blockIndex();
    const std::int64_t firstToken = blockIndexY() * shape.sequence;
    const std::int64_t stride = shape.qkvWidth();
    const std::int64_t queryAt = (firstToken + firstQuery) * stride + head * Size;
    const T *keys = all.qkv + firstToken * stride + shape.width();
    std::int64_t keyStride = stride;
    if constexpr (IsPart) {
        keyStride = 2 * shape.kvWidth();
        keys = all.separate.rows + blockIndexY() * shape.positions() * keyStride;
    }
    keys += head / (shape.heads / shape.kvHeads) * Size;
    const T *values = keys + shape.kvWidth();
    const int valid = tile.end - firstQuery;

    auto *queryTile = reinterpret_cast<T *>(sharedBytes());
    T *gradientTile = queryTile + kTile<Size>;
    T *stages = gradientTile + kTile<Size>;
    const auto fetch = [&](int firstKey, int stage) {
        T *to = stages + stage * 2 * kTile<Size>;
        copyTile<Size, kRows, kThreads>(to, keys + firstKey * keyStride, keyStride, tile.keys - firstKey);
        copyTile<Size, kRows, kThreads>(to + kTile<Size>, values + firstKey * keyStride, keyStride, tile.keys - firstKey);
        commitCopies();
    };
    copyTile<Size, kRows, kThreads>(queryTile, all.qkv + queryAt, stride, valid);
    copyTile<Size, kRows, kThreads>(gradientTile, all.outGradient + (firstToken + firstQuery) * shape.width() + head * Size,
                                    shape.width(), valid);
    fetch(0, 0);

    const int warpRow = threadIndex() / kWarpLanes * kRowsOfWarp;
    const float share = 1.0F / std::sqrt(static_cast<float>(Size));
    float base[2]; // of exponents of 2
    float delta[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int query = firstQuery + warpRow + 8 * half + laneRow();
        const std::int64_t at = (blockIndexY() * shape.heads + head) * shape.sequence + query;
        base[half] = query < tile.end ? all.logSumExp[at] * kLog2E : 0.0F;
        delta[half] = query < tile.end ? all.delta[at] : 0.0F;
    }
    Sums<Size> sums[1];
    sums[0].clear();
    const int end = keysEnd<IsPart, kRows>(tile);
    int stage = 0;
    for (int firstKey = 0; firstKey < end; firstKey += kRows, stage ^= 1) {
        waitForCopies<0>();
        syncBlock(); // this tile is complete, and no thread still reads the other stage
        if (firstKey + kRows < end)
            fetch(firstKey + kRows, stage ^ 1);
        T *keyTile = stages + stage * 2 * kTile<Size>;
        Sums<kRows> scores[1];
        Sums<kRows> gradients[1];
        scores[0].clear();
        gradients[0].clear();
        addProductTransposed<Size>(scores, queryTile, warpRow, keyTile);
        addProductTransposed<Size>(gradients, gradientTile, warpRow, keyTile + kTile<Size>);
        const int ahead = tile.position - firstKey + warpRow;
        const bool isMasked = ahead < kRows || (IsPart && tile.keys - firstKey < kRows);
#pragma unroll
        for (int j = 0; j < kRows / 8; ++j)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int half = i / 2;
                const int last = lastSeen<IsPart>(ahead + 8 * half + laneRow(), tile.keys - firstKey);
                const bool isBehind = isMasked && 8 * j + laneColumn() + i % 2 > last;
                const float probability = isBehind ? 0.0F : exp2Fast(std::fma(scores[0].at[j][i], share * kLog2E, -base[half]));
                scores[0].at[j][i] = probability * (gradients[0].at[j][i] - delta[half]);
            }
        addProduct<Size>(sums, scores, keyTile);
    }

    // Only the warp itself reads its queries, so its part of their tile can be overwritten with its output.
    syncWarp();
    if constexpr (IsPart) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = warpRow + 8 * half + laneRow();
            scaleRow(sums[0], half, share, row < valid);
            if (shape.extends && row < valid)
                addRow(sums[0], half, 1.0F, all.qkvGradient + queryAt + row * stride + laneColumn());
        }
        putSums(queryTile, warpRow, sums[0], {1.0F, 1.0F});
    } else {
        putSums(queryTile, warpRow, sums[0], {share, share});
    }
    syncBlock();
    writeTile<Size, kRows, kThreads>(all.qkvGradient + queryAt, queryTile, stride, valid);
}

/// A tile of queries that a block of the second kernel iterates over: tile by tile, head by head.
struct QueryWalk {
    int firstQuery; ///< its row
    int ahead;      ///< by how much its first query comes after the first key of the block
    int end;        ///< of the rows of its chunk
    int head;
};

/// The queries of a chunk to which a tile of keys is visible.
struct Watchers {
    int row;
    int ahead;
    int end;
    int tiles;
};
template <int Rows>
STAGELENS_DEVICE Watchers watchersOf(const AttentionShape &shape, int index, int firstKey)
{
    const Chunk chunk = chunkOf(shape, index);
    const int ahead = static_cast<int>(chunk.position) - firstKey;
    const int row = static_cast<int>(chunk.row) + (ahead < 0 ? -ahead : 0);
    const int end = static_cast<int>(chunk.row + chunk.rows);
    const bool isSeen = row < end && firstKey < shape.visibleKeys && index < chunkCount(shape);
    return {row, ahead < 0 ? 0 : ahead, end, isSeen ? (end - row + Rows - 1) / Rows : 0};
}

/// Adds what `to` contains to the share of the sums of a tile of keys, if the call adds; keys that are not seen have none.
template <int Size, class T>
STAGELENS_DEVICE void finishKeys(Sums<Size> &sums, float factor, int firstRow, int seen, bool adds, const T *to,
                                 std::int64_t stride)
{
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int row = firstRow + 8 * half + laneRow();
        scaleRow(sums, half, factor, row < seen);
        if (adds && row < seen)
            addRow(sums, half, 1.0F, to + row * stride + laneColumn());
    }
}

/// Block (key head, sequence of the batch, tile of keys). The first tiles are visible to the most queries, so they start first.
template <class T, int Size, bool IsPart>
STAGELENS_KERNEL(kThreads, 2)
keyKernel(Attention<T> all)
{
    const AttentionShape &shape = all.shape;
    const int firstKey = blockIndexZ() * kRows;
    const int group = static_cast<int>(shape.heads / shape.kvHeads);
    const std::int64_t firstToken = blockIndexY() * shape.sequence;
    const std::int64_t stride = shape.qkvWidth();
    const int sequence = static_cast<int>(shape.sequence);
    const T *keys = all.qkv;
    T *gradient = all.qkvGradient;
    std::int64_t keyStride = stride;
    std::int64_t keyAt = (firstToken + firstKey) * stride + shape.width() + blockIndex() * Size;
    int valid = sequence - firstKey;
    int tiles = (valid + kQueries<Size> - 1) / kQueries<Size>; // of queries to which these keys are visible
    Watchers watchers[2] = {};
    if constexpr (IsPart) {
        keys = all.separate.rows;
        gradient = all.separate.gradient;
        keyStride = 2 * shape.kvWidth();
        keyAt = (blockIndexY() * shape.positions() + firstKey) * keyStride + blockIndex() * Size;
        valid = static_cast<int>(shape.visibleKeys) - firstKey;
        watchers[0] = watchersOf<kQueries<Size>>(shape, 0, firstKey);
        watchers[1] = watchersOf<kQueries<Size>>(shape, 1, firstKey);
        tiles = watchers[0].tiles + watchers[1].tiles;
    }
    const auto walk = [&](int step) {
        const int head = blockIndex() * group + step / tiles;
        int before = step % tiles * kQueries<Size>;
        if constexpr (!IsPart)
            return QueryWalk{firstKey + before, before, sequence, head};
        const int inFirst = watchers[0].tiles * kQueries<Size>;
        const bool isSecond = before >= inFirst;
        before -= isSecond ? inFirst : 0;
        return QueryWalk{(isSecond ? watchers[1].row : watchers[0].row) + before,
                         (isSecond ? watchers[1].ahead : watchers[0].ahead) + before,
                         isSecond ? watchers[1].end : watchers[0].end, head};
    };

    auto *keyTile = reinterpret_cast<T *>(sharedBytes());
    T *valueTile = keyTile + kTile<Size>;
    T *stages = valueTile + kTile<Size>;
    constexpr int kOthers = kQueries<Size> * Size; ///< elements of a tile of queries
    constexpr int kStatistics = 2 * kQueries<Size>;
    auto *statistics = reinterpret_cast<float *>(stages + 4 * kOthers); // [stage][base or delta][query]
    const auto fetch = [&](int step, int stage) {
        const QueryWalk at = walk(step);
        T *to = stages + stage * 2 * kOthers;
        const std::int64_t token = firstToken + at.firstQuery;
        const int left = at.end - at.firstQuery;
        copyTile<Size, kQueries<Size>, kThreads>(to, all.qkv + token * stride + at.head * Size, stride, left);
        copyTile<Size, kQueries<Size>, kThreads>(to + kOthers, all.outGradient + token * shape.width() + at.head * Size,
                                                 shape.width(), left);
        commitCopies();
    };
    /// One value per thread: first the base of exponents of 2 of each query, then its delta. Padded queries have probability 0.
    const auto statisticOf = [&](int step) {
        const QueryWalk tile = walk(step);
        const int query = tile.firstQuery + threadIndex() % kQueries<Size>;
        const bool isBase = threadIndex() < kQueries<Size>;
        if (query >= tile.end)
            return isBase ? -kMinusInfinity : 0.0F;
        const std::int64_t at = (blockIndexY() * shape.heads + tile.head) * shape.sequence + query;
        return isBase ? all.logSumExp[at] * kLog2E : all.delta[at];
    };
    float statistic = 0;
    if (!IsPart || tiles > 0) {
        copyTile<Size, kRows, kThreads>(keyTile, keys + keyAt, keyStride, valid);
        copyTile<Size, kRows, kThreads>(valueTile, keys + keyAt + shape.kvWidth(), keyStride, valid);
        fetch(0, 0);
        statistic = statisticOf(0);
    }

    const int warpRow = threadIndex() / kWarpLanes * kRowsOfWarp;
    const float share = 1.0F / std::sqrt(static_cast<float>(Size));
    Sums<Size> keySums[1];
    Sums<Size> valueSums[1];
    keySums[0].clear();
    valueSums[0].clear();
    int stage = 0;
    for (int step = 0; step < tiles * group; ++step, stage ^= 1) {
        if (threadIndex() < kStatistics)
            statistics[stage * kStatistics + threadIndex()] = statistic;
        waitForCopies<0>();
        syncBlock(); // this tile is complete, and no thread still reads the other stage
        if (step + 1 < tiles * group) {
            fetch(step + 1, stage ^ 1);
            statistic = statisticOf(step + 1);
        }
        const int ahead = walk(step).ahead - warpRow;
        if (ahead + kQueries<Size> <= 0)
            continue; // all keys of the warp are masked for all queries
        T *queryTile = stages + stage * 2 * kOthers;
        T *gradientTile = queryTile + kOthers;
        const float *bases = statistics + stage * kStatistics;
        Sums<kQueries<Size>> scores[1]; // [key, query]
        Sums<kQueries<Size>> gradients[1];
        scores[0].clear();
        addProductTransposed<Size>(scores, keyTile, warpRow, queryTile);
#pragma unroll
        for (int j = 0; j < kQueries<Size> / 8; ++j)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int query = 8 * j + laneColumn() + i % 2;
                const bool isBehind = ahead < kRowsOfWarp && 8 * (i / 2) + laneRow() > ahead + query;
                scores[0].at[j][i] = isBehind ? 0.0F : exp2Fast(std::fma(scores[0].at[j][i], share * kLog2E, -bases[query]));
            }
        addProduct<Size>(valueSums, scores, gradientTile);
        gradients[0].clear();
        addProductTransposed<Size>(gradients, valueTile, warpRow, gradientTile);
#pragma unroll
        for (int j = 0; j < kQueries<Size> / 8; ++j)
#pragma unroll
            for (int i = 0; i < 4; ++i)
                scores[0].at[j][i] *= gradients[0].at[j][i] - bases[kQueries<Size> + 8 * j + laneColumn() + i % 2];
        addProduct<Size>(keySums, scores, queryTile);
    }

    // Only the warp itself reads its keys and values, so its part of their tiles can be overwritten with its output.
    syncWarp();
    if constexpr (IsPart) {
        finishKeys(keySums[0], share, warpRow, valid, shape.addsKeyGradients, gradient + keyAt, keyStride);
        finishKeys(valueSums[0], 1.0F, warpRow, valid, shape.addsKeyGradients, gradient + keyAt + shape.kvWidth(), keyStride);
        valid = static_cast<int>(writtenKeys(shape)) - firstKey;
        putSums(keyTile, warpRow, keySums[0], {1.0F, 1.0F});
    } else {
        putSums(keyTile, warpRow, keySums[0], {share, share});
    }
    putSums(valueTile, warpRow, valueSums[0], {1.0F, 1.0F});
    syncBlock();
    writeTile<Size, kRows, kThreads>(gradient + keyAt, keyTile, keyStride, valid);
    writeTile<Size, kRows, kThreads>(gradient + keyAt + shape.kvWidth(), valueTile, keyStride, valid);
}

/// Starts the kernels of whole sequences or those of parts.
template <int Size, bool IsPart, class T>
Status start(Stream stream, const Attention<T> &all, const T *out, float *delta)
{
    const AttentionShape &shape = all.shape;
    const std::int64_t items = attentionBackwardScratch(shape);
    constexpr std::int64_t kItems = kThreads * 8 / Size;
    constexpr std::int64_t kQueryShared = 6 * kRows * Size * kBytes;
    constexpr std::int64_t kKeyShared =
        (2 * kRows + 4 * kQueries<Size>)*Size * kBytes + 4 * kQueries<Size> * static_cast<std::int64_t>(sizeof(float));
    if (const Status status = launch<deltaKernel<T, Size>>({(items + kItems - 1) / kItems, kThreads, 0, stream}, delta, out,
                                                           all.outGradient, shape);
        status.failed())
        return status;
    Launch how{shape.heads, kThreads, kQueryShared, stream, shape.batch, queryTiles<kRows>(shape)};
    if (const Status status = launch<queryKernel<T, Size, IsPart>>(how, all); status.failed())
        return status;
    how.blocks = shape.kvHeads;
    how.blocksZ = (writtenKeys(shape) + kRows - 1) / kRows;
    how.sharedBytes = kKeyShared;
    return launch<keyKernel<T, Size, IsPart>>(how, all);
}
template <int Size, class T>
Status start(Stream stream, const Attention<T> &all, const T *out, float *delta)
{
    return all.shape.keys > 0 ? start<Size, true>(stream, all, out, delta) : start<Size, false>(stream, all, out, delta);
}

} // namespace

std::int64_t attentionBackwardScratch(const AttentionShape &shape)
{
    return shape.batch * shape.sequence * shape.heads;
}

template <class T>
Status attentionBackward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out,
                         const float *logSumExp, const AttentionShape &shape, float *scratch, const KeysOf<T> &keys)
{
    if (!isShape(shape))
        return kUnsupported;
    if constexpr (!std::is_same_v<T, float>) {
        const Attention<T> all{qkvGradient, outGradient, qkv, logSumExp, scratch, withVisibleKeys(shape), keys};
        const bool isWhole = isWide<T>({qkvGradient, outGradient, qkv, out, keys.rows, keys.gradient}, {});
        if (isWhole && shape.size == 64)
            return start<64>(stream, all, out, scratch);
        if (isWhole && shape.size == 128)
            return start<128>(stream, all, out, scratch);
    }
    return plainAttentionBackward(stream, qkvGradient, outGradient, qkv, out, logSumExp, shape, scratch, keys);
}

#define STAGELENS_ATTENTION_OF(T)                                                                                              \
    template Status attentionBackward(Stream, T *, const T *, const T *, const T *, const float *, const AttentionShape &,     \
                                      float *, const KeysOf<T> &);
STAGELENS_EVERY_TYPE(STAGELENS_ATTENTION_OF)
#undef STAGELENS_ATTENTION_OF

} // namespace stagelens::kernels::gpu
