#include "kernels/include/activation.h"

#include "kernels/cpu/lanes.h"

namespace stagelens::kernels {
namespace {

/// 0.5 (1 + tanh u) is sigmoid(2 u).
struct Gelu {
    static constexpr float kScale = 2 * 0.7978845608028654F; // 2 sqrt(2 / pi)
    static constexpr float kCubic = 0.044715F;
    STAGELENS_INLINE static float value(float x) { return x * sigmoidOf(kScale * (x + kCubic * x * x * x)); }
    STAGELENS_INLINE static float slope(float x)
    {
        const float share = sigmoidOf(kScale * (x + kCubic * x * x * x));
        const float inner = kScale * (1.0F + 3.0F * kCubic * x * x);
        return share + x * share * (1.0F - share) * inner;
    }
};

/// Calls work(function).
template <class Work>
void with(Activation activation, const Work &work)
{
    switch (activation) {
    case Activation::Gelu: break;
    }
    work(Gelu());
}

template <class Function>
STAGELENS_INLINE void forwardLoop(float *__restrict out, const float *__restrict in, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = Function::value(in[i]);
}

template <class Function>
STAGELENS_INLINE void backwardLoop(float *__restrict gradient, const float *__restrict in, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        gradient[i] *= Function::slope(in[i]);
}

} // namespace

void activationForward(Activation activation, float *out, const float *in, std::int64_t count)
{
    with(activation, [&](auto function) { runBest<forwardLoop<decltype(function)>>(out, in, count); });
}

void activationBackward(Activation activation, float *gradient, const float *in, std::int64_t count)
{
    with(activation, [&](auto function) { runBest<backwardLoop<decltype(function)>>(gradient, in, count); });
}

} // namespace stagelens::kernels
