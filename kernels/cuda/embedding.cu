// Rows of a shard of an embedding table, and the order of tokens in which their gradients are added.
//
// Bytes per element of the activations: gatherRows 2 sizeof(T), scaleRows 2 to 3 sizeof(T), scatterAddRows sizeof(T) and 8 for
// each distinct row: memory-bound. Target: 85 % of copy bandwidth. sortTokens makes tokens^2 comparisons in shared memory:
// 1.7e7 for 4096 tokens, about 10 us, once per microbatch.
//
// scatterAddRows uses no atomics: a block owns a run of equal ids in the sorted order, for some columns, and adds its tokens in
// order, with the loads of eight rows in flight for frequent ids.
#include "kernels/include/embedding.h"

#include "kernels/cuda/elementwise.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 128;
constexpr int kSortThreads = 256;
constexpr int kSharing = 4; ///< threads per token, to occupy more multiprocessors
constexpr int kSortTokens = kSortThreads / kSharing;

STAGELENS_DEVICE bool isLocal(std::int64_t row, const TableShard &shard)
{
    return row >= 0 && row < shard.count;
}

template <class T, int W>
STAGELENS_KERNEL(kThreads, 8)
gatherKernel(T *out, const T *table, TableShard shard, const std::int32_t *ids)
{
    const std::int64_t row = ids[blockIndex()] - shard.first;
    T *to = out + blockIndex() * shard.width;
    if (isLocal(row, shard))
        forEachPack<W>(table + row * shard.width, shard.width,
                       [&](std::int64_t column, const Raw<T, W> &raw) { storeRaw<W>(to + column, raw); });
    else
        for (std::int64_t column = std::int64_t{W} * threadIndex(); column < shard.width;
             column += std::int64_t{W} * blockThreads())
            store<W>(to + column, Pack<W>{});
}

template <class T, int W>
STAGELENS_KERNEL(kThreads, 8)
scaleKernel(T *out, const T *in, const float *factor, const T *table, TableShard shard, const std::int32_t *ids, float weight)
{
    const std::int64_t begin = blockIndex() * shard.width;
    const float scale = factor[blockIndex()];
    const std::int64_t row = table == nullptr ? -1 : ids[blockIndex()] - shard.first;
    forEachPack<W>(in + begin, shard.width, [&](std::int64_t column, const Raw<T, W> &raw) {
        Pack<W> x = unpack(raw);
#pragma unroll
        for (int i = 0; i < W; ++i)
            x.at[i] *= scale;
        if (isLocal(row, shard)) {
            const Pack<W> own = load<W>(table + row * shard.width + column);
#pragma unroll
            for (int i = 0; i < W; ++i)
                x.at[i] -= weight * own.at[i];
        }
        store<W>(out + begin + column, x);
    });
}

/// Each thread adds its elements of the table to all sequences.
template <class T, int W>
STAGELENS_KERNEL(kElementThreads, 4)
positionsKernel(T *rows, const T *table, std::int64_t batch, std::int64_t count)
{
    eachPack<W, 1>(count, [&](std::int64_t at) {
        const Pack<W> position = load<W>(table + at);
#pragma unroll 4
        for (std::int64_t sequence = 0; sequence < batch; ++sequence) {
            T *row = rows + sequence * count + at;
            Pack<W> x = load<W>(row);
#pragma unroll
            for (int i = 0; i < W; ++i)
                x.at[i] += position.at[i];
            store<W>(row, x);
        }
    });
}

template <class T, int W>
STAGELENS_KERNEL(kElementThreads, 4)
positionGradientsKernel(float *table, const T *rows, std::int64_t batch, std::int64_t count)
{
    eachPack<W, 1>(count, [&](std::int64_t at) {
        Pack<W> sum = load<W>(table + at);
#pragma unroll 4
        for (std::int64_t sequence = 0; sequence < batch; ++sequence) {
            const Pack<W> more = load<W>(rows + sequence * count + at);
#pragma unroll
            for (int i = 0; i < W; ++i)
                sum.at[i] += more.at[i];
        }
        store<W>(table + at, sum);
    });
}

/// Four threads per token. Its position is the number of tokens with a smaller id, or the same id before it; each thread counts
/// every fourth.
STAGELENS_KERNEL(kSortThreads, 4)
sortKernel(std::int32_t *order, const std::int32_t *ids, std::int32_t tokens)
{
    auto *some = reinterpret_cast<std::int32_t *>(sharedBytes());
    const int token = blockIndex() * kSortTokens + threadIndex() / kSharing;
    const std::int32_t own = token < tokens ? ids[token] : 0;
    int place = 0;
    for (int first = 0; first < tokens; first += kSortThreads) {
        const int other = first + threadIndex();
        syncBlock();
        some[threadIndex()] = other < tokens ? ids[other] : 0;
        syncBlock();
        const int count = tokens - first < kSortThreads ? tokens - first : kSortThreads;
        for (int i = threadIndex() % kSharing; i < count; i += kSharing)
            place += some[i] < own || (some[i] == own && first + i < token) ? 1 : 0;
    }
#pragma unroll
    for (int mask = kSharing / 2; mask > 0; mask /= 2)
        place += shuffleXor(place, mask);
    if (token < tokens && threadIndex() % kSharing == 0)
        order[place] = token;
}

template <class T, int W>
STAGELENS_DEVICE void addRow(Pack<W> &sum, const Raw<T, W> &raw, float factor)
{
    const Pack<W> more = unpack(raw);
#pragma unroll
    for (int i = 0; i < W; ++i)
        sum.at[i] += factor * more.at[i];
}

/// Block (position in the order, part of the columns). Returns unless a run of a local id begins there.
template <class T, int W>
STAGELENS_KERNEL(kThreads, 4)
scatterKernel(float *table, TableShard shard, const std::int32_t *ids, const std::int32_t *order, const T *in, float factor,
              std::int32_t tokens)
{
    const int first = blockIndex();
    // Loads all three at once: most runs have one token, and dependent loads would dominate their time.
    const std::int32_t token = order[first];
    const std::int32_t before = order[first > 0 ? first - 1 : first];
    const std::int32_t behind = order[first + 1 < tokens ? first + 1 : first];
    const std::int32_t id = ids[token], idBefore = ids[before], idBehind = ids[behind];
    const std::int64_t row = id - shard.first;
    const std::int64_t column = (std::int64_t{blockIndexY()} * blockThreads() + threadIndex()) * W;
    if (!isLocal(row, shard) || column >= shard.width || (first > 0 && idBefore == id))
        return;
    constexpr int kAhead = 8;
    float *to = table + row * shard.width + column;
    Pack<W> sum = load<W>(to);
    addRow(sum, loadRaw<W>(in + token * shard.width + column), factor);
    const int second = first + 1 < tokens && idBehind == id ? first + 1 : tokens;
    for (int place = second; place < tokens && ids[order[place]] == id; place += kAhead) {
        Raw<T, W> raw[kAhead];
        bool isOwn[kAhead];
#pragma unroll
        for (int i = 0; i < kAhead; ++i) {
            const int next = place + i;
            const int other = next < tokens ? order[next] : 0;
            isOwn[i] = next < tokens && ids[other] == id;
            if (isOwn[i])
                raw[i] = loadRaw<W>(in + other * shard.width + column);
        }
#pragma unroll
        for (int i = 0; i < kAhead; ++i)
            if (isOwn[i])
                addRow(sum, raw[i], factor);
    }
    store<W>(to, sum);
}

template <class T>
int threadsOfRow(const TableShard &shard, int w)
{
    return threadsForRow(shard.width / w, kThreads);
}

} // namespace

template <class T>
Status gatherRows(Stream stream, T *out, const T *table, const TableShard &shard, const std::int32_t *ids, std::int64_t tokens)
{
    if (isWide<T>({out, table}, {shard.width}))
        return launch<gatherKernel<T, kWide<T>>>({tokens, threadsOfRow<T>(shard, kWide<T>), 0, stream}, out, table, shard, ids);
    return launch<gatherKernel<T, 1>>({tokens, threadsOfRow<T>(shard, 1), 0, stream}, out, table, shard, ids);
}

template <class T>
Status addPositions(Stream stream, T *rows, const T *table, std::int64_t batch, std::int64_t sequence, std::int64_t width)
{
    const std::int64_t count = sequence * width;
    if (isWide<T>({rows, table}, {count}))
        return launch<positionsKernel<T, kWide<T>>>(overElements(count, kWide<T>, stream, 1), rows, table, batch, count);
    return launch<positionsKernel<T, 1>>(overElements(count, 1, stream, 1), rows, table, batch, count);
}

template <class T>
Status addPositionGradients(Stream stream, float *table, const T *rows, std::int64_t batch, std::int64_t sequence,
                            std::int64_t width)
{
    const std::int64_t count = sequence * width;
    if (isWide<T>({rows, table}, {count}))
        return launch<positionGradientsKernel<T, kWide<T>>>(overElements(count, kWide<T>, stream, 1), table, rows, batch,
                                                            count);
    return launch<positionGradientsKernel<T, 1>>(overElements(count, 1, stream, 1), table, rows, batch, count);
}

Status sortTokens(Stream stream, std::int32_t *order, const std::int32_t *ids, std::int64_t tokens)
{
    return launch<sortKernel>(
        {(tokens + kSortTokens - 1) / kSortTokens, kSortThreads, kSortThreads * sizeof(std::int32_t), stream}, order, ids,
        static_cast<std::int32_t>(tokens));
}

template <class T>
Status scatterAddRows(Stream stream, float *table, const TableShard &shard, const std::int32_t *ids, const std::int32_t *order,
                      const T *in, float factor, std::int64_t tokens)
{
    const auto parts = [&](int w) { return (shard.width + std::int64_t{w} * kThreads - 1) / (w * kThreads); };
    const auto count = static_cast<std::int32_t>(tokens);
    if (isWide<T>({table, in}, {shard.width}))
        return launch<scatterKernel<T, kWide<T>>>({tokens, kThreads, 0, stream, parts(kWide<T>)}, table, shard, ids, order, in,
                                                  factor, count);
    return launch<scatterKernel<T, 1>>({tokens, kThreads, 0, stream, parts(1)}, table, shard, ids, order, in, factor, count);
}

template <class T>
Status scaleRows(Stream stream, T *out, const T *in, const float *factor, const T *table, const TableShard &shard,
                 const std::int32_t *ids, float weight, std::int64_t tokens)
{
    if (isWide<T>({out, in, table}, {shard.width}))
        return launch<scaleKernel<T, kWide<T>>>({tokens, threadsOfRow<T>(shard, kWide<T>), 0, stream}, out, in, factor, table,
                                                shard, ids, weight);
    return launch<scaleKernel<T, 1>>({tokens, threadsOfRow<T>(shard, 1), 0, stream}, out, in, factor, table, shard, ids,
                                     weight);
}

#define STAGELENS_ROWS_OF(T)                                                                                                   \
    template Status gatherRows(Stream, T *, const T *, const TableShard &, const std::int32_t *, std::int64_t);                \
    template Status addPositions(Stream, T *, const T *, std::int64_t, std::int64_t, std::int64_t);                            \
    template Status addPositionGradients(Stream, float *, const T *, std::int64_t, std::int64_t, std::int64_t);                \
    template Status scatterAddRows(Stream, float *, const TableShard &, const std::int32_t *, const std::int32_t *, const T *, \
                                   float, std::int64_t);                                                                       \
    template Status scaleRows(Stream, T *, const T *, const float *, const T *, const TableShard &, const std::int32_t *,      \
                              float, std::int64_t);
STAGELENS_EVERY_TYPE(STAGELENS_ROWS_OF)
#undef STAGELENS_ROWS_OF

} // namespace stagelens::kernels::gpu
