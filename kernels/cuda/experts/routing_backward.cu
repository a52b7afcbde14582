// The gradient of a router's logits, and the balance of a selection bias.
//
// A block an expert counts its choices; then a warp a token reads and writes the E logits of the token: three passes, the last
// two from L1. Bytes per logit: 2 sizeof(T), and for the counts E T k numbers from L2.
#include "kernels/cuda/experts/choices.h"

namespace stagelens::kernels::gpu {
namespace {

/// A block an expert: the gradient of the balance loss by a probability of the expert, `each` for a choice.
STAGELENS_KERNEL(kChoiceThreads, 4)
balanceKernel(float *balance, const std::int32_t *choices, std::int64_t count, double each)
{
    const int chosen = countOf(choices, count, blockIndex(), reinterpret_cast<int *>(sharedBytes()));
    if (threadIndex() == 0)
        balance[blockIndex()] = static_cast<float>(each * static_cast<double>(chosen));
}

/// The same for choices of several ranks, of which `excess` says how much each expert's exceed the mean, times the experts.
STAGELENS_KERNEL(kChoiceThreads, 4)
balanceOfAllKernel(float *balance, const float *excess, std::int64_t choices, std::int64_t experts, double each)
{
    const std::int64_t e = std::int64_t{blockIndex()} * blockThreads() + threadIndex();
    if (e < experts)
        balance[e] = static_cast<float>(each * static_cast<double>((std::llround(excess[e]) + choices) / experts));
}

/// A block an expert.
STAGELENS_KERNEL(kChoiceThreads, 4)
excessKernel(float *excess, const std::int32_t *choices, std::int64_t count, std::int64_t experts)
{
    const int chosen = countOf(choices, count, blockIndex(), reinterpret_cast<int *>(sharedBytes()));
    if (threadIndex() == 0)
        excess[blockIndex()] += static_cast<float>(experts * chosen - count);
}

STAGELENS_KERNEL(kChoiceThreads, 4)
biasKernel(float *bias, const float *excess, float rate, std::int64_t count)
{
    const std::int64_t e = std::int64_t{blockIndex()} * blockThreads() + threadIndex();
    if (e < count)
        bias[e] -= excess[e] > 0.0F ? rate : excess[e] < 0.0F ? -rate : 0.0F;
}

/// What the kernel below knows of a token. Functions are called by all lanes of its warp.
template <class T>
struct Token {
    T *logits;
    const T *gateGradient;
    const float *gates;
    const std::int32_t *choices;
    const std::int32_t *rows;
    const float *balance; ///< of each expert; null: no balance loss
    int experts;
    int k;

    [[nodiscard]] STAGELENS_DEVICE float logit(int e) const { return numberOf(logits[e]); }
    [[nodiscard]] STAGELENS_DEVICE float balanceOf(int e) const { return balance != nullptr ? balance[e] : 0.0F; }
    /// Returns the gradient of a gate; that of a dropped row is 0.
    [[nodiscard]] STAGELENS_DEVICE float through(int j) const { return rows[j] >= 0 ? numberOf(gateGradient[j]) : 0.0F; }
    /// Returns the sum of value(i) over `count`.
    template <class ValueOf>
    [[nodiscard]] STAGELENS_DEVICE static float sumOf(int count, const ValueOf &valueOf)
    {
        float sum = 0;
        for (int i = threadIndex() % kWarpLanes; i < count; i += kWarpLanes)
            sum += valueOf(i);
        return warpSum(sum);
    }
    /// Replaces each logit by gradientOf(expert, value(j) added up over its choices).
    template <class GradientOf, class ValueOf>
    STAGELENS_DEVICE void replace(const GradientOf &gradientOf, const ValueOf &valueOf) const
    {
        syncWarp(); // other lanes have read the logits
        for (int e = threadIndex() % kWarpLanes; e < experts; e += kWarpLanes) {
            float own = 0;
            for (int j = 0; j < k; ++j)
                if (choices[j] == e)
                    own = valueOf(j);
            roundTo(logits + e, gradientOf(e, own));
        }
    }
};

/// The softmax of all logits of a token.
struct Softmax {
    float top;
    float sum;
    template <class T>
    STAGELENS_DEVICE explicit Softmax(const Token<T> &token)
    {
        top = kMinusInfinity;
        for (int e = threadIndex() % kWarpLanes; e < token.experts; e += kWarpLanes)
            top = std::fmax(top, token.logit(e));
        top = warpMaximum(top);
        sum = Token<T>::sumOf(token.experts, [&](int e) { return std::exp(token.logit(e) - top); });
    }
    [[nodiscard]] STAGELENS_DEVICE float of(float logit) const { return std::exp(logit - top) / sum; }
    [[nodiscard]] STAGELENS_DEVICE float logSum() const { return top + std::log(sum); }
};

template <class T>
STAGELENS_DEVICE void replaceBySoftmax(const Token<T> &token, float size)
{
    const Softmax softmax(token);
    const bool isAlone = token.k == 1;
    const float alone = isAlone ? token.through(0) : 0.0F;
    const auto ofProbability = [&](int e) { return token.balanceOf(e) + (isAlone && e == token.choices[0] ? alone : 0.0F); };
    const float mean = Token<T>::sumOf(token.experts, [&](int e) { return softmax.of(token.logit(e)) * ofProbability(e); });
    const float ofSize = size * softmax.logSum();
    // With several choices the gates are a softmax of their own.
    const float gateMean = isAlone ? 0.0F : Token<T>::sumOf(token.k, [&](int j) { return token.gates[j] * token.through(j); });
    token.replace(
        [&](int e, float own) {
            const float p = softmax.of(token.logit(e));
            return p * (ofProbability(e) - mean) + ofSize * p + own;
        },
        [&](int j) { return isAlone ? 0.0F : token.gates[j] * (token.through(j) - gateMean); });
}

template <class T>
STAGELENS_DEVICE void replaceBySigmoid(const Token<T> &token, float size, float scale)
{
    const Softmax softmax(token);
    const auto score = [&](int e) { return routerSigmoid(token.logit(e)); };
    const float all = Token<T>::sumOf(token.experts, score);
    const float mean = Token<T>::sumOf(token.experts, [&](int e) { return token.balanceOf(e) * (score(e) / all); });
    const float chosen = Token<T>::sumOf(token.k, [&](int j) { return score(token.choices[j]); });
    const float sum = Token<T>::sumOf(token.k, [&](int j) { return token.through(j) * score(token.choices[j]); });
    const float ofSize = size * softmax.logSum();
    token.replace(
        [&](int e, float own) {
            const float logit = token.logit(e);
            const float s = routerSigmoid(logit);
            const float byShare = token.balance != nullptr ? (token.balanceOf(e) - mean) / all : 0.0F;
            return (byShare + own) * (s * (1.0F - s)) + ofSize * softmax.of(logit);
        },
        [&](int j) {
            const float each = token.through(j);
            return scale * (token.k > 1 ? (each - sum / chosen) / chosen : each);
        });
}

/// A warp a token.
template <class T>
STAGELENS_KERNEL(kChoiceThreads, 4)
gradientKernel(T *logits, const T *gateGradient, const float *gates, const std::int32_t *routes, RoutingShape shape,
               bool isSigmoid, float scale, const float *balance, float size)
{
    const std::int64_t at = std::int64_t{blockIndex()} * kChoiceWarps + threadIndex() / kWarpLanes;
    if (at >= shape.tokens)
        return;
    const std::int64_t slot = at * shape.topK;
    const Token<T> token{logits + at * shape.experts,
                         gateGradient + slot,
                         gates + slot,
                         routes + slot,
                         routes + shape.rows() + slot,
                         balance,
                         static_cast<int>(shape.experts),
                         static_cast<int>(shape.topK)};
    if (isSigmoid)
        replaceBySigmoid(token, size, scale);
    else
        replaceBySoftmax(token, size);
}

constexpr std::int64_t kCountBytes = kChoiceWarps * sizeof(int);

std::int64_t blocksOf(std::int64_t threads)
{
    return (threads + kChoiceThreads - 1) / kChoiceThreads;
}

} // namespace

template <class T>
Status routeBackward(Stream stream, T *logits, const T *gateGradient, const float *gates, const std::int32_t *routes,
                     const RoutingShape &shape, const RouterRule &rule, const RouterLosses &losses, void *scratch)
{
    float *balance = losses.balance != 0.0F ? static_cast<float *>(scratch) : nullptr;
    const std::int64_t tokens = shape.tokens * losses.parts;
    const double each = static_cast<double>(losses.weight) * static_cast<double>(losses.balance) *
                        static_cast<double>(shape.experts) /
                        (static_cast<double>(shape.topK) * static_cast<double>(tokens) * static_cast<double>(tokens));
    Status status;
    if (balance != nullptr && losses.excess != nullptr)
        status = launch<balanceOfAllKernel>({blocksOf(shape.experts), kChoiceThreads, 0, stream}, balance, losses.excess,
                                            tokens * shape.topK, shape.experts, each);
    else if (balance != nullptr)
        status =
            launch<balanceKernel>({shape.experts, kChoiceThreads, kCountBytes, stream}, balance, routes, shape.rows(), each);
    if (status.failed())
        return status;
    const float size = 2 * losses.weight * losses.size / static_cast<float>(tokens);
    return launch<gradientKernel<T>>({(shape.tokens + kChoiceWarps - 1) / kChoiceWarps, kChoiceThreads, 0, stream}, logits,
                                     gateGradient, gates, routes, shape, rule.isSigmoid, rule.scale, balance, size);
}

Status addExcess(Stream stream, float *excess, const std::int32_t *routes, const RoutingShape &shape)
{
    return launch<excessKernel>({shape.experts, kChoiceThreads, kCountBytes, stream}, excess, routes, shape.rows(),
                                shape.experts);
}

Status balanceStep(Stream stream, float *bias, const float *excess, float rate, std::int64_t count)
{
    return launch<biasKernel>({blocksOf(count), kChoiceThreads, 0, stream}, bias, excess, rate, count);
}

#define STAGELENS_ROUTING_BACKWARD_OF(T)                                                                                       \
    template Status routeBackward(Stream, T *, const T *, const float *, const std::int32_t *, const RoutingShape &,           \
                                  const RouterRule &, const RouterLosses &, void *);
STAGELENS_EVERY_TYPE(STAGELENS_ROUTING_BACKWARD_OF)
#undef STAGELENS_ROUTING_BACKWARD_OF

} // namespace stagelens::kernels::gpu
