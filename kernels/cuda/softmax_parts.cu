// Combines the softmax statistics of several shards in rank order, one thread per token. About 12 bytes and one exponential per
// token and shard: a few microseconds for 4096 tokens, mostly launch time.
#include "kernels/include/softmax.h"

#include "kernels/cuda/rows.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 128;
constexpr int kLossThreads = 512;

/// [maximum | sum | target] of a token.
struct Statistics {
    float maximum;
    float sum;
    float target;
};
STAGELENS_DEVICE Statistics statisticsAt(const float *all, std::int64_t token, std::int64_t tokens)
{
    return {all[token], all[tokens + token], all[2 * tokens + token]};
}
STAGELENS_DEVICE void putStatistics(float *all, const Statistics &values, std::int64_t token, std::int64_t tokens)
{
    all[token] = values.maximum;
    all[tokens + token] = values.sum;
    all[2 * tokens + token] = values.target;
}

/// exp(maximum of the shard - maximum over all); 0 for a shard without columns, even if no shard has any.
STAGELENS_DEVICE float shareOf(float maximum, float over)
{
    return maximum == kMinusInfinity ? 0.0F : std::exp(maximum - over);
}

STAGELENS_DEVICE std::int64_t ownToken()
{
    return std::int64_t{blockIndex()} * kThreads + threadIndex();
}
Launch overTokens(std::int64_t tokens, Stream stream)
{
    return {(tokens + kThreads - 1) / kThreads, kThreads, 0, stream};
}

STAGELENS_DEVICE float greatest(const Parts<float> &parts, std::int64_t token)
{
    float maximum = parts.at[0][token];
#pragma unroll 4
    for (int part = 1; part < parts.count; ++part)
        maximum = std::fmax(maximum, parts.at[part][token]);
    return maximum;
}

STAGELENS_KERNEL(kThreads, 4)
shardsKernel(float *all, const Parts<float> parts, std::int64_t tokens)
{
    const std::int64_t token = ownToken();
    if (token >= tokens)
        return;
    Statistics values{greatest(parts, token), 0, 0};
#pragma unroll 4
    for (int part = 0; part < parts.count; ++part) {
        const Statistics shard = statisticsAt(parts.at[part], token, tokens);
        values.sum += productOf(shard.sum, shareOf(shard.maximum, values.maximum));
        values.target += shard.target;
    }
    putStatistics(all, values, token, tokens);
}

STAGELENS_KERNEL(kThreads, 4)
maximaKernel(float *maximum, const Parts<float> parts, std::int64_t tokens)
{
    if (const std::int64_t token = ownToken(); token < tokens)
        maximum[token] = greatest(parts, token);
}

STAGELENS_KERNEL(kThreads, 4)
sumsKernel(float *all, const float *maximum, const Parts<float> parts, std::int64_t tokens)
{
    const std::int64_t token = ownToken();
    if (token >= tokens)
        return;
    Statistics values{maximum[token], 0, 0};
#pragma unroll 4
    for (int part = 0; part < parts.count; ++part) {
        values.sum += parts.at[part][token];
        values.target += parts.at[part][tokens + token];
    }
    putStatistics(all, values, token, tokens);
}

/// Block (tokens, shard).
STAGELENS_KERNEL(kThreads, 4)
shardFactorsKernel(float *factors, const Parts<float> parts, const float *all, std::int64_t tokens)
{
    if (const std::int64_t token = ownToken(); token < tokens)
        factors[blockIndexY() * tokens + token] = shareOf(parts.at[blockIndexY()][token], all[token]) / all[tokens + token];
}

STAGELENS_KERNEL(kThreads, 4)
tokenFactorsKernel(float *factors, const float *maximum, const float *all, float weight, std::int64_t tokens)
{
    if (const std::int64_t token = ownToken(); token < tokens)
        factors[token] = shareOf(maximum[token], all[token]) / all[tokens + token] * weight;
}

/// One block.
STAGELENS_KERNEL(kLossThreads, 1)
lossKernel(double *total, const float *all, std::int64_t tokens, std::int64_t counted)
{
    double sum = 0;
    for (std::int64_t token = threadIndex(); token < counted; token += kLossThreads) {
        const Statistics values = statisticsAt(all, token, tokens);
        sum += std::log(static_cast<double>(values.sum)) + static_cast<double>(values.maximum) -
               static_cast<double>(values.target);
    }
    const double losses = blockSum(sum, reinterpret_cast<double *>(sharedBytes()));
    if (threadIndex() == 0)
        *total = losses;
}

constexpr bool isCountRight(const Parts<float> &parts)
{
    return parts.count >= 1 && parts.count <= kMostParts;
}

} // namespace

Status combineShards(Stream stream, float *all, const Parts<float> &parts, std::int64_t tokens)
{
    return isCountRight(parts) ? launch<shardsKernel>(overTokens(tokens, stream), all, parts, tokens) : kUnsupported;
}

Status combineMaxima(Stream stream, float *maximum, const Parts<float> &parts, std::int64_t tokens)
{
    return isCountRight(parts) ? launch<maximaKernel>(overTokens(tokens, stream), maximum, parts, tokens) : kUnsupported;
}

Status combineSums(Stream stream, float *all, const float *maximum, const Parts<float> &parts, std::int64_t tokens)
{
    return isCountRight(parts) ? launch<sumsKernel>(overTokens(tokens, stream), all, maximum, parts, tokens) : kUnsupported;
}

Status shardFactors(Stream stream, float *factors, const Parts<float> &parts, const float *all, std::int64_t tokens)
{
    if (!isCountRight(parts))
        return kUnsupported;
    Launch how = overTokens(tokens, stream);
    how.blocksY = parts.count;
    return launch<shardFactorsKernel>(how, factors, parts, all, tokens);
}

Status tokenFactors(Stream stream, float *factors, const float *maximum, const float *all, float weight, std::int64_t tokens)
{
    return launch<tokenFactorsKernel>(overTokens(tokens, stream), factors, maximum, all, weight, tokens);
}

Status sumLosses(Stream stream, double *total, const float *all, std::int64_t tokens, std::int64_t counted)
{
    constexpr std::int64_t kParts = kLossThreads / kWarpLanes * static_cast<std::int64_t>(sizeof(double));
    return launch<lossKernel>({1, kLossThreads, kParts, stream}, total, all, tokens, counted);
}

} // namespace stagelens::kernels::gpu
