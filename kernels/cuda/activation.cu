// Activation functions. Bytes per element: forward 2 sizeof(T), backward 3 sizeof(T); GELU has about 12 FLOPs, one ex2 and one
// division: memory-bound. Target: 85 % of copy bandwidth. In training the epilogues of cuBLASLt compute GELU if they are
// faster; these kernels are for the other cases.
#include "kernels/include/activation.h"

#include "kernels/cuda/elementwise.h"

namespace stagelens::kernels::gpu {
namespace {

/// 0.5 (1 + tanh u) is sigmoid(2 u).
struct Gelu {
    static constexpr float kScale = 2 * 0.7978845608028654F; // 2 sqrt(2 / pi)
    static constexpr float kCubic = 0.044715F;
    static STAGELENS_DEVICE float shareOf(float x) { return sigmoidOf(kScale * (x + kCubic * x * x * x)); }
    static STAGELENS_DEVICE float value(float x) { return x * shareOf(x); }
    static STAGELENS_DEVICE float slope(float x)
    {
        const float share = shareOf(x);
        const float inner = kScale * (1.0F + 3.0F * kCubic * x * x);
        return share + x * share * (1.0F - share) * inner;
    }
};

/// Calls work(function), and returns its result.
template <class Work>
Status with(Activation activation, const Work &work)
{
    switch (activation) {
    case Activation::Gelu: break;
    }
    return work(Gelu());
}

template <class Function, class T, int W>
STAGELENS_KERNEL(kElementThreads, 4)
forwardKernel(T *out, const T *in, std::int64_t count)
{
    eachPack<W, kPacksOfThread>(count, [&](std::int64_t at) {
        Pack<W> x = load<W>(in + at);
#pragma unroll
        for (int i = 0; i < W; ++i)
            x.at[i] = Function::value(x.at[i]);
        store<W>(out + at, x);
    });
}

template <class Function, class T, int W>
STAGELENS_KERNEL(kElementThreads, 4)
backwardKernel(T *gradient, const T *in, std::int64_t count)
{
    eachPack<W, kPacksOfThread>(count, [&](std::int64_t at) {
        const Pack<W> x = load<W>(in + at);
        Pack<W> dy = load<W>(gradient + at);
#pragma unroll
        for (int i = 0; i < W; ++i)
            dy.at[i] *= Function::slope(x.at[i]);
        store<W>(gradient + at, dy);
    });
}

} // namespace

template <class T>
Status activationForward(Stream stream, Activation activation, T *out, const T *in, std::int64_t count)
{
    return with(activation, [&](auto function) {
        using Function = decltype(function);
        if (isWide<T>({out, in}, {count}))
            return launch<forwardKernel<Function, T, kWide<T>>>(overElements(count, kWide<T>, stream), out, in, count);
        return launch<forwardKernel<Function, T, 1>>(overElements(count, 1, stream), out, in, count);
    });
}

template <class T>
Status activationBackward(Stream stream, Activation activation, T *gradient, const T *in, std::int64_t count)
{
    return with(activation, [&](auto function) {
        using Function = decltype(function);
        if (isWide<T>({gradient, in}, {count}))
            return launch<backwardKernel<Function, T, kWide<T>>>(overElements(count, kWide<T>, stream), gradient, in, count);
        return launch<backwardKernel<Function, T, 1>>(overElements(count, 1, stream), gradient, in, count);
    });
}

#define STAGELENS_ACTIVATION_OF(T)                                                                                             \
    template Status activationForward(Stream, Activation, T *, const T *, std::int64_t);                                       \
    template Status activationBackward(Stream, Activation, T *, const T *, std::int64_t);
STAGELENS_EVERY_TYPE(STAGELENS_ACTIVATION_OF)
#undef STAGELENS_ACTIVATION_OF

} // namespace stagelens::kernels::gpu
