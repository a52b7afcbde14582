// Lion with master weights in float. Bytes per parameter: 12 read (value, gradient, momentum), 12 written (the gradient is
// cleared): memory-bound.
#include "kernels/include/lion.h"

#include "kernels/cuda/elementwise.h"

namespace stagelens::kernels::gpu {
namespace {

template <int W>
STAGELENS_KERNEL(kElementThreads, 4)
lionKernel(float *values, float *gradient, float *momentum, Lion s, float keep, std::int64_t count)
{
    eachPack<W, 1>(count, [&](std::int64_t at) {
        Pack<W> value = load<W>(values + at);
        Pack<W> m = load<W>(momentum + at);
        const Pack<W> g = load<W>(gradient + at);
#pragma unroll
        for (int i = 0; i < W; ++i) {
            const float scaled = g.at[i] * s.gradientScale;
            const float mix = s.beta1 * m.at[i] + (1.0F - s.beta1) * scaled;
            const float up = mix > 0.0F ? s.learningRate : 0.0F;
            const float down = mix < 0.0F ? s.learningRate : 0.0F;
            m.at[i] = s.beta2 * m.at[i] + (1.0F - s.beta2) * scaled;
            value.at[i] = value.at[i] * keep - (up - down);
        }
        store<W>(values + at, value);
        store<W>(momentum + at, m);
        store<W>(gradient + at, Pack<W>{});
    });
}

} // namespace

Status lionStep(Stream stream, float *values, float *gradient, float *momentum, const Lion &settings, std::int64_t count)
{
    const float keep = 1.0F - settings.learningRate * settings.weightDecay;
    const bool isWhole = isWide<Bf16>({values, gradient, momentum}, {count});
    const Launch how = overElements(count, isWhole ? 8 : 1, stream, 1);
    if (isWhole)
        return launch<lionKernel<8>>(how, values, gradient, momentum, settings, keep, count);
    return launch<lionKernel<1>>(how, values, gradient, momentum, settings, keep, count);
}

} // namespace stagelens::kernels::gpu
