// Softmax statistics of the tokens over the whole vocabulary from those of its shards (arXiv 2411.05288, section 4). Shards are
// combined in the order of their ranks, so that every device gets the same bits.
#pragma once

#include <cstdint>
#include <span>

namespace stagelens::kernels {

/// Of every token, over the whole vocabulary or a shard; they lie elsewhere, one after the other.
struct SoftmaxStatistics {
    float *maximum = nullptr;
    float *sum = nullptr;    ///< of exp(logit - maximum)
    float *target = nullptr; ///< the label's logit; of a shard 0 where another one has it
    std::int64_t tokens = 0;

    /// [maximum | sum | target]
    SoftmaxStatistics(float *values, std::int64_t count)
        : maximum(values), sum(values + count), target(values + 2 * count), tokens(count)
    {}
};
/// What the shards have, in the order of their ranks.
using ShardParts = std::span<const float *const>;

/// Fills `all` from every shard's [maximum | sum | target].
void combineShards(const SoftmaxStatistics &all, ShardParts parts);
/// maximum[tokens] = the greatest of the shards' maxima.
void combineMaxima(float *maximum, ShardParts parts, std::int64_t tokens);
/// Fills `all` from those maxima and every shard's [sum | target] by them.
void combineSums(const SoftmaxStatistics &all, const float *maximum, ShardParts parts);
/// factors[shards, tokens]: what each shard's exponentials must be multiplied with to be the softmax over the whole vocabulary,
/// alpha of section 4.3 over the shard's own sum. Parts begin with the shard's maxima.
void shardFactors(float *factors, ShardParts parts, const SoftmaxStatistics &all);
/// The same of one shard, times `weight`.
void tokenFactors(float *factors, const SoftmaxStatistics &shard, const SoftmaxStatistics &all, float weight);
/// Sum of the losses of the first `counted` tokens, log sum + maximum - target, in double and in token order.
[[nodiscard]] double lossSum(const SoftmaxStatistics &all, std::int64_t counted);

} // namespace stagelens::kernels
