#include "kernels/include/statistics.h"

#include "kernels/include/elementwise.h"

#include <algorithm>
#include <cmath>

namespace stagelens::kernels {

void combineMaxima(float *maximum, ShardParts parts, std::int64_t tokens)
{
    std::copy_n(parts.front(), tokens, maximum);
    for (const float *part : parts)
        for (std::int64_t i = 0; i < tokens; ++i)
            maximum[i] = std::max(maximum[i], part[i]);
}

void combineShards(const SoftmaxStatistics &all, ShardParts parts)
{
    const std::int64_t count = all.tokens;
    combineMaxima(all.maximum, parts, count);
    std::fill_n(all.sum, count, 0.0F);
    std::fill_n(all.target, count, 0.0F);
    for (const float *part : parts) {
        const float *sum = part + count;
        for (std::int64_t i = 0; i < count; ++i) {
            all.sum[i] += sum[i] * std::exp(part[i] - all.maximum[i]);
            all.target[i] += sum[count + i];
        }
    }
}

void combineSums(const SoftmaxStatistics &all, const float *maximum, ShardParts parts)
{
    std::copy_n(maximum, all.tokens, all.maximum);
    std::fill_n(all.sum, all.tokens, 0.0F);
    std::fill_n(all.target, all.tokens, 0.0F);
    for (const float *part : parts) {
        add(all.sum, part, all.tokens);
        add(all.target, part + all.tokens, all.tokens);
    }
}

void shardFactors(float *factors, ShardParts parts, const SoftmaxStatistics &all)
{
    for (const float *part : parts) {
        for (std::int64_t i = 0; i < all.tokens; ++i)
            factors[i] = std::exp(part[i] - all.maximum[i]) / all.sum[i];
        factors += all.tokens;
    }
}

void tokenFactors(float *factors, const SoftmaxStatistics &shard, const SoftmaxStatistics &all, float weight)
{
    for (std::int64_t i = 0; i < all.tokens; ++i)
        factors[i] = std::exp(shard.maximum[i] - all.maximum[i]) / all.sum[i] * weight;
}

double lossSum(const SoftmaxStatistics &all, std::int64_t counted)
{
    double total = 0;
    for (std::int64_t i = 0; i < counted; ++i)
        total += std::log(static_cast<double>(all.sum[i])) + static_cast<double>(all.maximum[i]) -
                 static_cast<double>(all.target[i]);
    return total;
}

} // namespace stagelens::kernels
