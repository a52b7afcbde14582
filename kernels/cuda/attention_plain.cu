// Causal attention without tensor cores. A warp has one query (or one key). For 32 keys (or queries) at a time each lane
// computes one score, then every lane accumulates its own elements of the head in the order of those 32. Sums are floats in a
// fixed order, so equal calls give equal bits. Simple rather than fast: single lanes read whole rows.
#include "kernels/cuda/attention_plain.h"

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
    std::int64_t row;        ///< in the sequence
    std::int64_t head;       ///< of queries, or of keys
    std::int64_t firstToken; ///< of the sequence
    std::int64_t index;
    bool exists;
    STAGELENS_DEVICE Item(const AttentionShape &shape, std::int64_t heads)
    {
        index = std::int64_t{blockIndex()} * kWarps + threadIndex() / kWarpLanes;
        row = index % shape.sequence;
        head = index / shape.sequence % heads;
        firstToken = index / shape.sequence / heads * shape.sequence;
        exists = index < shape.batch * heads * shape.sequence;
    }
};

/// The offsets of a token in rows of queries, keys and values.
template <class T>
struct Tokens {
    T *qkv;
    const AttentionShape &shape;
    STAGELENS_DEVICE T *query(std::int64_t token, std::int64_t head) const
    {
        return qkv + token * shape.qkvWidth() + head * shape.size;
    }
    STAGELENS_DEVICE T *key(std::int64_t token, std::int64_t kvHead) const { return query(token, shape.heads + kvHead); }
    STAGELENS_DEVICE T *value(std::int64_t token, std::int64_t kvHead) const
    {
        return query(token, shape.heads + shape.kvHeads + kvHead);
    }
};

template <class T>
STAGELENS_DEVICE float dot(const T *a, const T *b, std::int64_t size)
{
    float sum = 0;
#pragma unroll 4
    for (std::int64_t i = 0; i < size; ++i)
        sum += toFloat(a[i]) * toFloat(b[i]);
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
                at[i] += factor * toFloat(row[element]);
    }
    STAGELENS_DEVICE void scale(float factor)
    {
#pragma unroll
        for (int i = 0; i < kOwn; ++i)
            at[i] *= factor;
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
forwardKernel(T *out, float *logSumExp, const T *qkv, AttentionShape shape)
{
    const Item item(shape, shape.heads);
    if (!item.exists)
        return;
    const Tokens<const T> tokens{qkv, shape};
    const std::int64_t kvHead = item.head / (shape.heads / shape.kvHeads);
    const T *query = tokens.query(item.firstToken + item.row, item.head);
    const float share = shareOf(shape);
    float maximum = kMinusInfinity;
    float sum = 0;
    OwnSums sums;
    for (std::int64_t first = 0; first <= item.row; first += kWarpLanes) {
        const std::int64_t key = first + ownLane();
        const bool isSeen = key <= item.row;
        const float score = isSeen ? share * dot(query, tokens.key(item.firstToken + key, kvHead), shape.size) : kMinusInfinity;
        const float top = std::fmax(maximum, warpMaximum(score));
        const float correction = exp2Fast((maximum - top) * kLog2E);
        const float probability = exp2Fast((score - top) * kLog2E);
        maximum = top;
        sum = sum * correction + warpSum(probability);
        sums.scale(correction);
        for (int lane = 0; lane < kWarpLanes && first + lane <= item.row; ++lane)
            sums.add(shuffleFrom(probability, lane), tokens.value(item.firstToken + first + lane, kvHead), shape.size);
    }
    sums.scale(1.0F / sum);
    sums.put(out + (item.firstToken + item.row) * shape.width() + item.head * shape.size, shape.size);
    if (ownLane() == 0)
        logSumExp[item.index] = maximum + std::log(sum);
}

/// delta[batch, heads, sequence]: sum of out * its gradient.
template <class T>
STAGELENS_KERNEL(kThreads, 4)
deltaKernel(float *delta, const T *out, const T *outGradient, AttentionShape shape)
{
    const Item item(shape, shape.heads);
    if (!item.exists)
        return;
    const std::int64_t begin = (item.firstToken + item.row) * shape.width() + item.head * shape.size;
    float sum = 0;
    for (std::int64_t i = ownLane(); i < shape.size; i += kWarpLanes)
        sum += toFloat(out[begin + i]) * toFloat(outGradient[begin + i]);
    const float all = warpSum(sum);
    if (ownLane() == 0)
        delta[item.index] = all;
}

/// The inputs of the two backward kernels.
template <class T>
struct Attention {
    const T *outGradient;
    const T *qkv;
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
STAGELENS_DEVICE Pair pairOf(const Attention<T> &all, const Item &item, std::int64_t head, std::int64_t query, std::int64_t key)
{
    const AttentionShape &shape = all.shape;
    const Tokens<const T> tokens{all.qkv, shape};
    const std::int64_t kvHead = head / (shape.heads / shape.kvHeads);
    const std::int64_t at = (item.firstToken / shape.sequence * shape.heads + head) * shape.sequence + query;
    const T *dy = all.outGradient + (item.firstToken + query) * shape.width() + head * shape.size;
    const float share = shareOf(shape);
    const float score =
        share * dot(tokens.query(item.firstToken + query, head), tokens.key(item.firstToken + key, kvHead), shape.size);
    const float probability = exp2Fast((score - all.logSumExp[at]) * kLog2E);
    const float slope = dot(dy, tokens.value(item.firstToken + key, kvHead), shape.size);
    return {probability, share * probability * (slope - all.delta[at])};
}

template <class T>
STAGELENS_KERNEL(kThreads, 4)
queryKernel(T *qkvGradient, Attention<T> all)
{
    const AttentionShape &shape = all.shape;
    const Item item(shape, shape.heads);
    if (!item.exists)
        return;
    const Tokens<const T> tokens{all.qkv, shape};
    OwnSums sums;
    for (std::int64_t first = 0; first <= item.row; first += kWarpLanes) {
        const std::int64_t key = first + ownLane();
        const float own = key <= item.row ? pairOf(all, item, item.head, item.row, key).gradient : 0.0F;
        for (int lane = 0; lane < kWarpLanes && first + lane <= item.row; ++lane)
            sums.add(shuffleFrom(own, lane),
                     tokens.key(item.firstToken + first + lane, item.head / (shape.heads / shape.kvHeads)), shape.size);
    }
    sums.put(Tokens<T>{qkvGradient, shape}.query(item.firstToken + item.row, item.head), shape.size);
}

template <class T>
STAGELENS_KERNEL(kThreads, 4)
keyKernel(T *qkvGradient, Attention<T> all)
{
    const AttentionShape &shape = all.shape;
    const Item item(shape, shape.kvHeads);
    if (!item.exists)
        return;
    const Tokens<const T> tokens{all.qkv, shape};
    const std::int64_t group = shape.heads / shape.kvHeads;
    OwnSums keys;
    OwnSums values;
    for (std::int64_t head = item.head * group; head < (item.head + 1) * group; ++head)
        for (std::int64_t first = item.row; first < shape.sequence; first += kWarpLanes) {
            const std::int64_t query = first + ownLane();
            Pair own{};
            if (query < shape.sequence)
                own = pairOf(all, item, head, query, item.row);
            for (int lane = 0; lane < kWarpLanes && first + lane < shape.sequence; ++lane) {
                const std::int64_t token = item.firstToken + first + lane;
                keys.add(shuffleFrom(own.gradient, lane), tokens.query(token, head), shape.size);
                values.add(shuffleFrom(own.probability, lane), all.outGradient + token * shape.width() + head * shape.size,
                           shape.size);
            }
        }
    const Tokens<T> gradients{qkvGradient, shape};
    keys.put(gradients.key(item.firstToken + item.row, item.head), shape.size);
    values.put(gradients.value(item.firstToken + item.row, item.head), shape.size);
}

Launch overRows(const AttentionShape &shape, std::int64_t heads, Stream stream)
{
    return {(shape.batch * heads * shape.sequence + kWarps - 1) / kWarps, kThreads, 0, stream};
}

} // namespace

template <class T>
Status plainAttentionForward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape)
{
    return launch<forwardKernel<T>>(overRows(shape, shape.heads, stream), out, logSumExp, qkv, shape);
}

template <class T>
Status plainAttentionBackward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out,
                              const float *logSumExp, const AttentionShape &shape, float *scratch)
{
    const Launch perHead = overRows(shape, shape.heads, stream);
    if (const Status status = launch<deltaKernel<T>>(perHead, scratch, out, outGradient, shape); status.failed())
        return status;
    const Attention<T> all{outGradient, qkv, logSumExp, scratch, shape};
    if (const Status status = launch<queryKernel<T>>(perHead, qkvGradient, all); status.failed())
        return status;
    return launch<keyKernel<T>>(overRows(shape, shape.kvHeads, stream), qkvGradient, all);
}

#define STAGELENS_PLAIN_ATTENTION_OF(T)                                                                                        \
    template Status plainAttentionForward(Stream, T *, float *, const T *, const AttentionShape &);                            \
    template Status plainAttentionBackward(Stream, T *, const T *, const T *, const T *, const float *,                        \
                                           const AttentionShape &, float *);
STAGELENS_PLAIN_ATTENTION_OF(float)
STAGELENS_PLAIN_ATTENTION_OF(Bf16)
#undef STAGELENS_PLAIN_ATTENTION_OF

} // namespace stagelens::kernels::gpu
