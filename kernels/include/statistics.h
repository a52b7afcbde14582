// Combines the softmax statistics of shards into those of the whole vocabulary (arXiv 2411.05288, section 4), in rank order, so
// that every device gets the same bits.
#pragma once

#include <cstdint>
#include <span>

namespace stagelens::kernels {

/// Statistics of every token over the whole vocabulary or a shard. Does not own the arrays.
struct SoftmaxStatistics {
    float *maximum = nullptr;
    float *sum = nullptr;    ///< of exp(logit - maximum)
    float *target = nullptr; ///< the logit of the label; 0 in shards without it
    std::int64_t tokens = 0;

    /// `values` is [maximum | sum | target].
    SoftmaxStatistics(float *values, std::int64_t count)
        : maximum(values), sum(values + count), target(values + 2 * count), tokens(count)
    {}
};
/// The statistics of the shards, in rank order.
using ShardParts = std::span<const float *const>;

/// Computes `all` from every shard's [maximum | sum | target].
void combineShards(const SoftmaxStatistics &all, ShardParts parts);
/// maximum[tokens] = the maximum over shards.
void combineMaxima(float *maximum, ShardParts parts, std::int64_t tokens);
/// Computes `all` from those maxima and every shard's [sum | target] relative to them.
void combineSums(const SoftmaxStatistics &all, const float *maximum, ShardParts parts);
/// factors[shards, tokens]: the factors from the exponentials of each shard to the softmax over the whole vocabulary (alpha of
/// section 4.3 over the sum of the shard). Parts begin with the maxima of the shard.
void shardFactors(float *factors, ShardParts parts, const SoftmaxStatistics &all);
/// The same for one shard, times `weight`.
void tokenFactors(float *factors, const SoftmaxStatistics &shard, const SoftmaxStatistics &all, float weight);
/// Returns the sum of the losses of the first `counted` tokens, log sum + maximum - target, in double and in token order.
[[nodiscard]] double lossSum(const SoftmaxStatistics &all, std::int64_t counted);

} // namespace stagelens::kernels
