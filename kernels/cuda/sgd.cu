// Gradient descent with momentum and master weights in float. Bytes per parameter: 12 read (value, gradient, momentum), 12
// written (the gradient is cleared): memory-bound.
#include "kernels/include/sgd.h"

#include "kernels/cuda/elementwise.h"

namespace stagelens::kernels::gpu {
namespace {

template <int W>
STAGELENS_KERNEL(kElementThreads, 4)
sgdKernel(float *values, float *gradient, float *momentum, Sgd s, std::int64_t count)
{
    eachPack<W, 1>(count, [&](std::int64_t at) {
        Pack<W> value = load<W>(values + at);
        Pack<W> m = load<W>(momentum + at);
        const Pack<W> g = load<W>(gradient + at);
#pragma unroll
        for (int i = 0; i < W; ++i) {
            m.at[i] = s.momentum * m.at[i] + (g.at[i] * s.gradientScale + s.weightDecay * value.at[i]);
            value.at[i] -= s.learningRate * m.at[i];
        }
        store<W>(values + at, value);
        store<W>(momentum + at, m);
        store<W>(gradient + at, Pack<W>{});
    });
}

} // namespace

Status sgdStep(Stream stream, float *values, float *gradient, float *momentum, const Sgd &settings, std::int64_t count)
{
    const bool isWhole = isWide<Bf16>({values, gradient, momentum}, {count});
    const Launch how = overElements(count, isWhole ? 8 : 1, stream, 1);
    if (isWhole)
        return launch<sgdKernel<8>>(how, values, gradient, momentum, settings, count);
    return launch<sgdKernel<1>>(how, values, gradient, momentum, settings, count);
}

} // namespace stagelens::kernels::gpu
