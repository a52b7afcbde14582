// Softmax over the rows of a shard of logits [rows, columns], divided at the barriers (arXiv 2411.05288, section 4). A shard
// may have no columns. Labels are columns of the whole vocabulary; `first` is the first column of the shard.
#pragma once

#include "kernels/include/bf16.h"
#include "kernels/include/interrupt.h"
#include "kernels/include/parts.h"
#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

/// The logits of a shard.
template <class T>
struct LogitShardOf {
    T *logits = nullptr; ///< [rows, columns]
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t first = 0;
    /// Elements from a row to the next, or 0 for dense rows, which processors require. GPU kernels read 16 bytes at a time if
    /// rows begin at multiples of them.
    std::int64_t stride = 0;
    [[nodiscard]] constexpr std::int64_t rowStride() const { return stride > 0 ? stride : columns; }
    /// Returns the column of the label in the shard, or -1.
    [[nodiscard]] constexpr std::int64_t local(std::int32_t label) const
    {
        const std::int64_t column = label - first;
        return column >= 0 && column < columns ? column : -1;
    }
};
using LogitShard = LogitShardOf<float>;

/// Computes maximum[rows] (-infinity without columns) and the logit of each label (0 if it is not local).
void rowMaxima(float *maximum, float *target, const LogitShard &shard, const std::int32_t *labels,
               const Interrupt &interrupt = {});
/// Replaces each logit by exp(logit - maximum) and computes sum[rows].
void exponentiate(float *sum, const float *maximum, const LogitShard &shard, const Interrupt &interrupt = {});
/// Does both with the maxima of the shard; reads and writes the logits once.
void localSoftmax(float *maximum, float *sum, float *target, const LogitShard &shard, const std::int32_t *labels,
                  const Interrupt &interrupt = {});

/// out = e^in, with an error of about 2 ulp; 0 below -87.3, infinity above 88.7.
void exponentials(float *out, const float *in, std::int64_t count);

namespace gpu {

// Statistics are floats whatever the logits are. A row whose logits are all -infinity (padding) counts as one without columns:
// its sum is 0 and its exponentials are 0.

/// As above. Reads and writes the logits once if a row is at most 96 KiB.
template <class T>
Status localSoftmax(Stream stream, float *maximum, float *sum, float *target, const LogitShardOf<T> &shard,
                    const std::int32_t *labels);
/// As above, for the naive method: maxima and logits of labels; then, with the maxima of all shards, exponentials and sums.
template <class T>
Status rowMaxima(Stream stream, float *maximum, float *target, const LogitShardOf<T> &shard, const std::int32_t *labels);
template <class T>
Status exponentiate(Stream stream, float *sum, const float *maximum, const LogitShardOf<T> &shard);

// Statistics of all shards from those of each: arrays of floats [maximum | sum | target], each of `tokens`, combined in rank
// order.

/// Computes the statistics over the whole vocabulary.
Status combineShards(Stream stream, float *all, const Parts<float> &parts, std::int64_t tokens);
/// Naive method: computes the maximum over shards; then `all` from it and every shard's [sum | target].
Status combineMaxima(Stream stream, float *maximum, const Parts<float> &parts, std::int64_t tokens);
Status combineSums(Stream stream, float *all, const float *maximum, const Parts<float> &parts, std::int64_t tokens);
/// factors[shard, tokens]: the factors from the exponentials of a shard to the softmax over the whole vocabulary.
Status shardFactors(Stream stream, float *factors, const Parts<float> &parts, const float *all, std::int64_t tokens);
/// factors[tokens]: the same for the shard with those maxima, times `weight`.
Status tokenFactors(Stream stream, float *factors, const float *maximum, const float *all, float weight, std::int64_t tokens);
/// *total = the sum of the losses of the first `counted` tokens, log sum + maximum - target, in double, into device memory. The
/// order of the sum depends only on `counted`.
Status sumLosses(Stream stream, double *total, const float *all, std::int64_t tokens, std::int64_t counted);

} // namespace gpu

} // namespace stagelens::kernels
