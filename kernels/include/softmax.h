// Softmax over the rows of a shard of logits [rows, columns], in the parts that barriers lie between (arXiv 2411.05288, section
// 4). A shard may have no columns. Labels are columns of the whole vocabulary; `first` is the shard's first.
#pragma once

#include "kernels/include/bf16.h"
#include "kernels/include/interrupt.h"
#include "kernels/include/parts.h"
#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

/// Where the shard's rows stand.
template <class T>
struct LogitShardOf {
    T *logits = nullptr; ///< [rows, columns], dense
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t first = 0;
    /// Column of the row's label inside the shard, or -1.
    [[nodiscard]] constexpr std::int64_t local(std::int32_t label) const
    {
        const std::int64_t column = label - first;
        return column >= 0 && column < columns ? column : -1;
    }
};
using LogitShard = LogitShardOf<float>;

/// maximum[rows] of each row (-infinity without columns) and the logit of the row's label (0 where it is not local).
void rowMaxima(float *maximum, float *target, const LogitShard &shard, const std::int32_t *labels,
               const Interrupt &interrupt = {});
/// logit = exp(logit - maximum) in place, and sum[rows] of them.
void exponentiate(float *sum, const float *maximum, const LogitShard &shard, const Interrupt &interrupt = {});
/// Both at once with the shard's own maxima: the logits are read once and written once.
void localSoftmax(float *maximum, float *sum, float *target, const LogitShard &shard, const std::int32_t *labels,
                  const Interrupt &interrupt = {});

/// e to the power of each value, about 2 ulp; 0 below -87.3, infinity above 88.7.
void exponentials(float *out, const float *in, std::int64_t count);

namespace gpu {

// Statistics are floats whatever the logits are. A row whose logits are all -infinity (padding) counts as one without columns:
// its sum is 0 and its exponentials are 0.

/// As above: the exponentials take the place of the logits. Read once and written once, as long as a row is at most 96 KiB.
template <class T>
Status localSoftmax(Stream stream, float *maximum, float *sum, float *target, const LogitShardOf<T> &shard,
                    const std::int32_t *labels);
/// As above, for the naive method: maxima and labels' logits; then exponentials and their sums, with the maxima of all shards.
template <class T>
Status rowMaxima(Stream stream, float *maximum, float *target, const LogitShardOf<T> &shard, const std::int32_t *labels);
template <class T>
Status exponentiate(Stream stream, float *sum, const float *maximum, const LogitShardOf<T> &shard);

// Statistics of all shards from those of each: arrays of floats [maximum | sum | target], each of `tokens`, combined in rank
// order.

/// all = the statistics over the whole vocabulary.
Status combineShards(Stream stream, float *all, const Parts<float> &parts, std::int64_t tokens);
/// Naive method: the greatest of the shards' maxima[tokens]; then `all` from them and every shard's [sum | target].
Status combineMaxima(Stream stream, float *maximum, const Parts<float> &parts, std::int64_t tokens);
Status combineSums(Stream stream, float *all, const float *maximum, const Parts<float> &parts, std::int64_t tokens);
/// factors[shard, tokens]: what a shard's exponentials must be multiplied with to be the softmax over the whole vocabulary.
Status shardFactors(Stream stream, float *factors, const Parts<float> &parts, const float *all, std::int64_t tokens);
/// factors[tokens]: the same of the shard whose maxima these are, times `weight`.
Status tokenFactors(Stream stream, float *factors, const float *maximum, const float *all, float weight, std::int64_t tokens);
/// *total = the sum of the losses of the first `counted` tokens, log sum + maximum - target, in double and in an order that
/// depends on `counted` alone, into device memory.
Status sumLosses(Stream stream, double *total, const float *all, std::int64_t tokens, std::int64_t counted);

} // namespace gpu

} // namespace stagelens::kernels
