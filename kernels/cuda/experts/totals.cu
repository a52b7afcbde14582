// What the routers of a run are known by: the choices of each expert, dropped rows, entropy. Bytes: E T k numbers from L2 and
// each logit twice; a double exponential per logit.
#include "kernels/cuda/experts/choices.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kEntropyBlocks = 64; ///< at most

STAGELENS_DEVICE double warpTop(double value)
{
#pragma unroll
    for (int mask = kWarpLanes / 2; mask > 0; mask /= 2)
        value = std::fmax(value, shuffleXor(value, mask));
    return value;
}

/// Returns the entropy of a token in all lanes of the warp.
template <class T>
STAGELENS_DEVICE double entropyOf(const T *logits, int experts, bool isSigmoid)
{
    double top = isSigmoid ? 0.0 : -__builtin_huge_val();
    for (int e = threadIndex() % kWarpLanes; e < experts && !isSigmoid; e += kWarpLanes)
        top = std::fmax(top, static_cast<double>(numberOf(logits[e])));
    top = warpTop(top);
    double sum = 0;
    double weighted = 0;
    for (int e = threadIndex() % kWarpLanes; e < experts; e += kWarpLanes) {
        const double logit = static_cast<double>(numberOf(logits[e]));
        const double each = isSigmoid ? 1 / (1 + std::exp(-logit)) : std::exp(logit - top);
        const double ofLog = isSigmoid ? std::log(each) : logit - top;
        sum += each;
        weighted += each > 0 ? each * ofLog : 0;
    }
    sum = warpSum(sum);
    weighted = warpSum(weighted);
    return sum > 0 ? std::log(sum) - weighted / sum : std::log(static_cast<double>(experts));
}

/// A block an expert, one for dropped rows, and others that write the entropies of some tokens to `parts`.
template <class T>
STAGELENS_KERNEL(kChoiceThreads, 2)
totalsKernel(double *totals, double *parts, const std::int32_t *routes, const T *logits, RoutingShape shape, bool isSigmoid)
{
    const int experts = static_cast<int>(shape.experts);
    const int block = blockIndex() - experts - 1;
    if (block < 0) {
        const bool isOfExpert = block < -1;
        const int count = countOf(isOfExpert ? routes : routes + shape.rows(), shape.rows(), isOfExpert ? blockIndex() : -1,
                                  reinterpret_cast<int *>(sharedBytes()));
        if (threadIndex() == 0)
            totals[blockIndex()] += count;
        return;
    }
    const int blocks = gridBlocks() - experts - 1;
    double sum = 0;
    for (std::int64_t token = std::int64_t{block} * kChoiceWarps + threadIndex() / kWarpLanes; token < shape.tokens;
         token += std::int64_t{blocks} * kChoiceWarps)
        sum += entropyOf(logits + token * experts, experts, isSigmoid);
    const double all = blockCombined(sum, reinterpret_cast<double *>(sharedBytes()), [](double a, double b) { return a + b; });
    if (threadIndex() == 0)
        parts[block] = all;
}

STAGELENS_KERNEL(kWarpLanes, 1) sumKernel(double *total, const double *parts, int count)
{
    if (threadIndex() > 0)
        return;
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += parts[i];
    *total += sum;
}

} // namespace

template <class T>
Status addRouterTotals(Stream stream, double *totals, const std::int32_t *routes, const T *logits, const RoutingShape &shape,
                       bool isSigmoid, void *scratch)
{
    auto *parts = static_cast<double *>(scratch);
    const std::int64_t wanted = (shape.tokens + kChoiceWarps - 1) / kChoiceWarps;
    const auto blocks = static_cast<int>(wanted < kEntropyBlocks ? wanted : kEntropyBlocks);
    const Status status =
        launch<totalsKernel<T>>({shape.experts + 1 + blocks, kChoiceThreads, kChoiceWarps * sizeof(double), stream}, totals,
                                parts, routes, logits, shape, isSigmoid);
    return status.failed() ? status : launch<sumKernel>({1, kWarpLanes, 0, stream}, totals + shape.experts + 1, parts, blocks);
}

std::int64_t expertScratch(const RoutingShape &shape)
{
    // The tables of products are the greatest of them: first rows, and two numbers a tile of 64 rows or less.
    const std::int64_t tiles = shape.rows() / 64 + shape.experts;
    const std::int64_t tables = (shape.experts + 1 + 2 * tiles) * static_cast<std::int64_t>(sizeof(std::int32_t));
    const std::int64_t parts = kEntropyBlocks * static_cast<std::int64_t>(sizeof(double));
    return tables > parts ? tables : parts;
}

#define STAGELENS_ROUTER_TOTALS_OF(T)                                                                                          \
    template Status addRouterTotals(Stream, double *, const std::int32_t *, const T *, const RoutingShape &, bool, void *);
STAGELENS_EVERY_TYPE(STAGELENS_ROUTER_TOTALS_OF)
#undef STAGELENS_ROUTER_TOTALS_OF

} // namespace stagelens::kernels::gpu
