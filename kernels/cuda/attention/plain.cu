// Causal attention without tensor cores. A warp has one query (or one key). For 32 keys (or queries) at a time each lane
// computes one score, then every lane accumulates its own elements of the head in the order of those 32. Sums are floats in a
// fixed order, so equal calls give equal bits. Simple rather than fast: single lanes read whole rows.
#include "kernels/cuda/attention/plain.h"

#include "kernels/cuda/attention/parts.h"
#include "kernels/cuda/rows.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / kWarpLanes;
constexpr int kOwn = static_cast<int>(kMostHeadSize) / kWarpLanes; ///< elements of a head per lane

STAGELENS_DEVICE int ownLane()
{
    return threadIndex() % kWarpLanes;
}

/// The row of one head that a warp computes. Warps are numbered by row of a sequence, head, then batch.
struct Item {
    std::int64_t row;  ///< in the sequence: of queries, or of keys
    std::int64_t head; ///< of queries, or of keys
    std::int64_t batch;
    std::int64_t index;
    bool exists;
    STAGELENS_DEVICE Item(const AttentionShape &shape, std::int64_t heads, std::int64_t rows)
    {
        index = std::int64_t{blockIndex()} * kWarps + threadIndex() / kWarpLanes;
        row = index % rows;
        head = index / rows % heads;
        batch = index / rows / heads;
        exists = index < shape.batch * heads * rows;
    }
};

/// Returns how many keys a row of queries sees; 0 if the call does not compute the row.
STAGELENS_DEVICE std::int64_t keysOf(const AttentionShape &shape, std::int64_t row)
{
    for (int i = 0; i < chunkCount(shape); ++i) {
        const Chunk chunk = chunkOf(shape, i);
        if (row >= chunk.row && row < chunk.row + chunk.rows) {
            const std::int64_t seen = chunk.position + row - chunk.row + 1;
            return seen < shape.visible() ? seen : shape.visible();
        }
    }
    return 0;
}

/// The offsets of a row of a sequence in rows of queries, and in those of keys and values.
template <class T>
struct Tokens {
    T *qkv;
    KeyRows<T> keys;
    const AttentionShape &shape;
    STAGELENS_DEVICE T *query(std::int64_t batch, std::int64_t row, std::int64_t head) const
    {
        return qkv + (batch * shape.sequence + row) * shape.qkvWidth() + head * shape.size;
    }
    STAGELENS_DEVICE T *key(std::int64_t batch, std::int64_t position, std::int64_t kvHead) const
    {
        return keys.first + (batch * shape.positions() + position) * keys.stride + kvHead * shape.size;
    }
    STAGELENS_DEVICE T *value(std::int64_t batch, std::int64_t position, std::int64_t kvHead) const
    {
        return key(batch, position, shape.kvHeads + kvHead);
    }
};

template <class T>
STAGELENS_DEVICE float dot(const T *a, const T *b, std::int64_t size)
{
    float sum = 0;
#pragma unroll 4
    for (std::int64_t i = 0; i < size; ++i)
        sum += numberOf(a[i]) * numberOf(b[i]);
    return sum;
}

/// The elements of a head that this lane accumulates: lane, lane + 32 and so on.
struct OwnSums {
    float at[kOwn] = {};
    template <class T>
    STAGELENS_DEVICE void add(float factor, const T *row, std::int64_t size)
    {
#pragma unroll
        for (int i = 0; i < kOwn; ++i)
            if (const std::int64_t element = ownLane() + i * kWarpLanes; element < size)
                at[i] += factor * numberOf(row[element]);
    }
    STAGELENS_DEVICE void scale(float factor)
    {
#pragma unroll
        for (int i = 0; i < kOwn; ++i)
            at[i] *= factor;
    }
    template <class T>
    STAGELENS_DEVICE void take(const T *row, std::int64_t size)
    {
#pragma unroll
        for (int i = 0; i < kOwn; ++i)
            if (const std::int64_t element = ownLane() + i * kWarpLanes; element < size)
                at[i] = numberOf(row[element]);
    }
    template <class T>
    STAGELENS_DEVICE void put(T *row, std::int64_t size) const
    {
#pragma unroll
        for (int i = 0; i < kOwn; ++i)
            if (const std::int64_t element = ownLane() + i * kWarpLanes; element < size)
                roundTo(row + element, at[i]);
    }
};

STAGELENS_DEVICE float shareOf(const AttentionShape &shape)
{
    return 1.0F / std::sqrt(static_cast<float>(shape.size));
}

template <class T>
STAGELENS_KERNEL(kThreads, 4)
forwardKernel(T *out, float *logSumExp, const T *qkv, KeyRows<const T> keys, AttentionShape shape)
{
    const Item item(shape, shape.heads, shape.sequence);
    const std::int64_t seen = item.exists ? keysOf(shape, item.row) : 0;
    if (seen == 0)
        return;
    const Tokens<const T> tokens{qkv, keys, shape};
    const std::int64_t kvHead = item.head / (shape.heads / shape.kvHeads);
    const T *query = tokens.query(item.batch, item.row, item.head);
    T *own = out + (item.batch * shape.sequence + item.row) * shape.width() + item.head * shape.size;
    const float share = shareOf(shape);
    float maximum = kMinusInfinity;
    float sum = 0;
    OwnSums sums;
    if (shape.extends) { // an earlier part is like a key with this score
        maximum = logSumExp[item.index];
        sum = 1;
        sums.take(own, shape.size);
    }
    for (std::int64_t first = 0; first < seen; first += kWarpLanes) {
        const std::int64_t key = first + ownLane();
        const bool isSeen = key < seen;
        const float score = isSeen ? share * dot(query, tokens.key(item.batch, key, kvHead), shape.size) : kMinusInfinity;
        const float top = std::fmax(maximum, warpMaximum(score));
        const float correction = exp2Fast((maximum - top) * kLog2E);
        const float probability = exp2Fast((score - top) * kLog2E);
        maximum = top;
        sum = sum * correction + warpSum(probability);
        sums.scale(correction);
        for (int lane = 0; lane < kWarpLanes && first + lane < seen; ++lane)
            sums.add(shuffleFrom(probability, lane), tokens.value(item.batch, first + lane, kvHead), shape.size);
    }
    sums.scale(1.0F / sum);
    sums.put(own, shape.size);
    syncWarp(); // every lane has read the sum of earlier parts
    if (ownLane() == 0)
        logSumExp[item.index] = maximum + std::log(sum);
}

/// delta[batch, heads, sequence]: sum of out * its gradient.
template <class T>
STAGELENS_KERNEL(kThreads, 4)
deltaKernel(float *delta, const T *out, const T *outGradient, AttentionShape shape)
{
    const Item item(shape, shape.heads, shape.sequence);
    if (!item.exists)
        return;
    const std::int64_t begin = (item.batch * shape.sequence + item.row) * shape.width() + item.head * shape.size;
    float sum = 0;
    for (std::int64_t i = ownLane(); i < shape.size; i += kWarpLanes)
        sum += numberOf(out[begin + i]) * numberOf(outGradient[begin + i]);
    const float all = warpSum(sum);
    if (ownLane() == 0)
        delta[item.index] = all;
}

/// The inputs of the two backward kernels.
template <class T>
struct Attention {
    const T *outGradient;
    const T *qkv;
    KeyRows<const T> keys;
    const float *logSumExp;
    const float *delta;
    AttentionShape shape;
};

/// The probability of a key for a query, and the gradient of their score.
struct Pair {
    float probability;
    float gradient;
};
template <class T>
STAGELENS_DEVICE Pair pairOf(const Attention<T> &all, std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t key)
{
    const AttentionShape &shape = all.shape;
    const Tokens<const T> tokens{all.qkv, all.keys, shape};
    const std::int64_t kvHead = head / (shape.heads / shape.kvHeads);
    const std::int64_t at = (batch * shape.heads + head) * shape.sequence + row;
    const T *dy = all.outGradient + (batch * shape.sequence + row) * shape.width() + head * shape.size;
    const float share = shareOf(shape);
    const float score = share * dot(tokens.query(batch, row, head), tokens.key(batch, key, kvHead), shape.size);
    const float probability = exp2Fast((score - all.logSumExp[at]) * kLog2E);
    const float slope = dot(dy, tokens.value(batch, key, kvHead), shape.size);
    return {probability, share * probability * (slope - all.delta[at])};
}

template <class T>
STAGELENS_KERNEL(kThreads, 4)
queryKernel(T *qkvGradient, Attention<T> all)
{
    const AttentionShape &shape = all.shape;
    const Item item(shape, shape.heads, shape.sequence);
    const std::int64_t seen = item.exists ? keysOf(shape, item.row) : 0;
    if (seen == 0)
        return;
    const Tokens<const T> tokens{all.qkv, all.keys, shape};
    T *gradient = qkvGradient + (tokens.query(item.batch, item.row, item.head) - all.qkv);
    OwnSums sums;
    if (shape.extends)
        sums.take(gradient, shape.size);
    for (std::int64_t first = 0; first < seen; first += kWarpLanes) {
        const std::int64_t key = first + ownLane();
        const float own = key < seen ? pairOf(all, item.batch, item.head, item.row, key).gradient : 0.0F;
        for (int lane = 0; lane < kWarpLanes && first + lane < seen; ++lane)
            sums.add(shuffleFrom(own, lane), tokens.key(item.batch, first + lane, item.head / (shape.heads / shape.kvHeads)),
                     shape.size);
    }
    sums.put(gradient, shape.size);
}

template <class T>
STAGELENS_KERNEL(kThreads, 4)
keyKernel(KeyRows<T> gradient, Attention<T> all)
{
    const AttentionShape &shape = all.shape;
    const Item item(shape, shape.kvHeads, writtenKeys(shape));
    if (!item.exists)
        return;
    const Tokens<const T> tokens{all.qkv, all.keys, shape};
    const Tokens<T> gradients{nullptr, gradient, shape};
    T *key = gradients.key(item.batch, item.row, item.head);
    T *value = gradients.value(item.batch, item.row, item.head);
    const std::int64_t group = shape.heads / shape.kvHeads;
    OwnSums keys;
    OwnSums values;
    if (shape.addsKeyGradients) {
        keys.take(key, shape.size);
        values.take(value, shape.size);
    }
    const int chunks = item.row < shape.visible() ? chunkCount(shape) : 0;
    for (std::int64_t head = item.head * group; head < (item.head + 1) * group; ++head)
        for (int i = 0; i < chunks; ++i) {
            const Chunk chunk = chunkOf(shape, i);
            const std::int64_t end = chunk.row + chunk.rows;
            // The first row that sees the key.
            const std::int64_t begin = chunk.row + (item.row > chunk.position ? item.row - chunk.position : 0);
            for (std::int64_t first = begin; first < end; first += kWarpLanes) {
                const std::int64_t query = first + ownLane();
                Pair own{};
                if (query < end)
                    own = pairOf(all, item.batch, head, query, item.row);
                for (int lane = 0; lane < kWarpLanes && first + lane < end; ++lane) {
                    const std::int64_t row = first + lane;
                    const T *dy = all.outGradient + (item.batch * shape.sequence + row) * shape.width() + head * shape.size;
                    keys.add(shuffleFrom(own.gradient, lane), tokens.query(item.batch, row, head), shape.size);
                    values.add(shuffleFrom(own.probability, lane), dy, shape.size);
                }
            }
        }
    keys.put(key, shape.size);
    values.put(value, shape.size);
}

Launch overRows(std::int64_t rows, Stream stream)
{
    return {(rows + kWarps - 1) / kWarps, kThreads, 0, stream};
}

} // namespace

template <class T>
Status plainAttentionForward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape,
                             const KeysOf<T> &keys)
{
    return launch<forwardKernel<T>>(overRows(shape.batch * shape.heads * shape.sequence, stream), out, logSumExp, qkv,
                                    KeyRows<const T>(qkv, keys.rows, shape), shape);
}

template <class T>
Status plainAttentionBackward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out,
                              const float *logSumExp, const AttentionShape &shape, float *scratch, const KeysOf<T> &keys)
{
    const Launch perQuery = overRows(shape.batch * shape.heads * shape.sequence, stream);
    if (const Status status = launch<deltaKernel<T>>(perQuery, scratch, out, outGradient, shape); status.failed())
        return status;
    const Attention<T> all{outGradient, qkv, KeyRows<const T>(qkv, keys.rows, shape), logSumExp, scratch, shape};
    if (const Status status = launch<queryKernel<T>>(perQuery, qkvGradient, all); status.failed())
        return status;
    return launch<keyKernel<T>>(overRows(shape.batch * shape.kvHeads * writtenKeys(shape), stream),
                                KeyRows<T>(qkvGradient, keys.gradient, shape), all);
}

#define STAGELENS_PLAIN_ATTENTION_OF(T)                                                                                        \
    template Status plainAttentionForward(Stream, T *, float *, const T *, const AttentionShape &, const KeysOf<T> &);         \
    template Status plainAttentionBackward(Stream, T *, const T *, const T *, const T *, const float *,                        \
                                           const AttentionShape &, float *, const KeysOf<T> &);
STAGELENS_EVERY_TYPE(STAGELENS_PLAIN_ATTENTION_OF)
#undef STAGELENS_PLAIN_ATTENTION_OF

} // namespace stagelens::kernels::gpu
