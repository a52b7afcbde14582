// Tanh GELU. Bytes per element: forward 2 sizeof(T), backward 3 sizeof(T); about 12 FLOPs, one ex2 and one division:
// memory-bound. Target: 85 % of copy bandwidth. In training the epilogues of cuBLASLt compute GELU if they are faster; this
// kernel is for the other cases.
#include "kernels/include/elementwise.h"

#include "kernels/cuda/elementwise.h"

namespace stagelens::kernels::gpu {
namespace {

// 0.5 (1 + tanh u) is sigmoid(2 u).
constexpr float kScale = 2 * 0.7978845608028654F; // 2 sqrt(2 / pi)
constexpr float kCubic = 0.044715F;

STAGELENS_DEVICE float shareOf(float x)
{
    return sigmoidOf(kScale * (x + kCubic * x * x * x));
}

template <class T, int W>
STAGELENS_KERNEL(kElementThreads, 4)
forwardKernel(T *out, const T *in, std::int64_t count)
{
    eachPack<W, kPacksOfThread>(count, [&](std::int64_t at) {
        Pack<W> x = load<W>(in + at);
#pragma unroll
        for (int i = 0; i < W; ++i)
            x.at[i] *= shareOf(x.at[i]);
        store<W>(out + at, x);
    });
}

template <class T, int W>
STAGELENS_KERNEL(kElementThreads, 4)
backwardKernel(T *gradient, const T *in, std::int64_t count)
{
    eachPack<W, kPacksOfThread>(count, [&](std::int64_t at) {
        const Pack<W> x = load<W>(in + at);
        Pack<W> dy = load<W>(gradient + at);
#pragma unroll
        for (int i = 0; i < W; ++i) {
            const float share = shareOf(x.at[i]);
            const float inner = kScale * (1.0F + 3.0F * kCubic * x.at[i] * x.at[i]);
            dy.at[i] *= share + x.at[i] * share * (1.0F - share) * inner;
        }
        store<W>(gradient + at, dy);
    });
}

} // namespace

template <class T>
Status geluForward(Stream stream, T *out, const T *in, std::int64_t count)
{
    if (isWide<T>({out, in}, {count}))
        return launch<forwardKernel<T, kWide<T>>>(overElements(count, kWide<T>, stream), out, in, count);
    return launch<forwardKernel<T, 1>>(overElements(count, 1, stream), out, in, count);
}

template <class T>
Status geluBackward(Stream stream, T *gradient, const T *in, std::int64_t count)
{
    if (isWide<T>({gradient, in}, {count}))
        return launch<backwardKernel<T, kWide<T>>>(overElements(count, kWide<T>, stream), gradient, in, count);
    return launch<backwardKernel<T, 1>>(overElements(count, 1, stream), gradient, in, count);
}

template Status geluForward(Stream, float *, const float *, std::int64_t);
template Status geluForward(Stream, Bf16 *, const Bf16 *, std::int64_t);
template Status geluBackward(Stream, float *, const float *, std::int64_t);
template Status geluBackward(Stream, Bf16 *, const Bf16 *, std::int64_t);

} // namespace stagelens::kernels::gpu
