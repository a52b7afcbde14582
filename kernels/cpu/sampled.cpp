#include "kernels/include/sampled.h"

namespace stagelens::kernels {

namespace {

/// Sums in an order that depends only on `count`.
float dot(const float *a, const float *b, std::int64_t count)
{
    constexpr std::int64_t kLanes = 8;
    float sums[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            sums[lane] += a[i + lane] * b[i + lane];
    for (; i < count; ++i)
        sums[i % kLanes] += a[i] * b[i];
    float sum = 0;
    for (const float lane : sums)
        sum += lane;
    return sum;
}

} // namespace

void correctSample(float *logits, const SampledWords &sample, const SampledTokens &tokens)
{
    const std::int64_t width = tokens.shard.width;
    for (std::int64_t token = 0; token < tokens.tokens; ++token) {
        float *const row = logits + token * (sample.count + 1);
        const std::int32_t label = tokens.labels[token];
        for (std::int64_t i = 0; i < sample.count; ++i)
            row[i] = sample.words[i] == label ? kNoLogit : row[i] - sample.logCounts[i];
        const std::int64_t place = label - tokens.shard.first;
        const bool isLocal = place >= 0 && place < tokens.shard.count;
        row[sample.count] =
            isLocal ? dot(tokens.rows + token * width, tokens.table + place * width, width) - tokens.logCounts[token]
                    : kNoLogit;
    }
}

} // namespace stagelens::kernels
