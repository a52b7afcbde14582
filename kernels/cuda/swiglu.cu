// SwiGLU. Bytes per element of the activation: forward 3 sizeof(T), backward 5 sizeof(T); about 15 FLOPs, one ex2 and one
// division: memory-bound. Target: 85 % of copy bandwidth.
#include "kernels/include/swiglu.h"

#include "kernels/cuda/elementwise.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kPacks = 2; // of two or three arrays each

template <class T, int W>
STAGELENS_KERNEL(kElementThreads, 4)
forwardKernel(T *out, const T *gate, const T *up, std::int64_t count)
{
    eachPack<W, kPacks>(count, [&](std::int64_t at) {
        Pack<W> x = load<W>(gate + at);
        const Pack<W> factor = load<W>(up + at);
#pragma unroll
        for (int i = 0; i < W; ++i)
            x.at[i] = x.at[i] * sigmoidOf(x.at[i]) * factor.at[i];
        store<W>(out + at, x);
    });
}

template <class T, int W>
STAGELENS_KERNEL(kElementThreads, 4)
backwardKernel(T *gate, T *up, const T *outGradient, std::int64_t count)
{
    eachPack<W, kPacks>(count, [&](std::int64_t at) {
        Pack<W> x = load<W>(gate + at);
        Pack<W> factor = load<W>(up + at);
        const Pack<W> dy = load<W>(outGradient + at);
#pragma unroll
        for (int i = 0; i < W; ++i) {
            const float sigmoid = sigmoidOf(x.at[i]);
            const float slope = sigmoid * (1.0F + x.at[i] * (1.0F - sigmoid));
            const float silu = x.at[i] * sigmoid;
            x.at[i] = dy.at[i] * factor.at[i] * slope;
            factor.at[i] = dy.at[i] * silu;
        }
        store<W>(gate + at, x);
        store<W>(up + at, factor);
    });
}

} // namespace

template <class T>
Status swigluForward(Stream stream, T *out, const T *gate, const T *up, std::int64_t count)
{
    if (isWide<T>({out, gate, up}, {count}))
        return launch<forwardKernel<T, kWide<T>>>(overElements(count, kWide<T>, stream, kPacks), out, gate, up, count);
    return launch<forwardKernel<T, 1>>(overElements(count, 1, stream, kPacks), out, gate, up, count);
}

template <class T>
Status swigluBackward(Stream stream, T *gate, T *up, const T *outGradient, std::int64_t count)
{
    if (isWide<T>({gate, up, outGradient}, {count}))
        return launch<backwardKernel<T, kWide<T>>>(overElements(count, kWide<T>, stream, kPacks), gate, up, outGradient, count);
    return launch<backwardKernel<T, 1>>(overElements(count, 1, stream, kPacks), gate, up, outGradient, count);
}

#define STAGELENS_SWIGLU_OF(T)                                                                                                 \
    template Status swigluForward(Stream, T *, const T *, const T *, std::int64_t);                                            \
    template Status swigluBackward(Stream, T *, T *, const T *, std::int64_t);
STAGELENS_EVERY_TYPE(STAGELENS_SWIGLU_OF)
#undef STAGELENS_SWIGLU_OF

} // namespace stagelens::kernels::gpu
