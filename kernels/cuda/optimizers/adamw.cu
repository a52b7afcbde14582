// AdamW with master weights in float. Bytes per parameter: 16 read (value, gradient, two moments), 16 written (the gradient is
// cleared), 2 for the rounded copy: 34, so 7.9 ms for 10^9 parameters at the 4.3 TB/s copy bandwidth of an H200. About 15
// FLOPs: memory-bound. Target: 85 % of copy bandwidth.
#include "kernels/include/adamw.h"

#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/optimizers/adamw_step.h"

namespace stagelens::kernels::gpu {
namespace {

template <int W, bool Rounded>
STAGELENS_KERNEL(kElementThreads, 4)
adamwKernel(float *values, Bf16 *rounded, float *gradient, float *first, float *second, AdamWStep step, std::int64_t count)
{
    const AdamW &s = step.settings;
    eachPack<W, 1>(count, [&](std::int64_t at) {
        Pack<W> value = load<W>(values + at);
        Pack<W> m = load<W>(first + at);
        Pack<W> v = load<W>(second + at);
        Pack<W> g = load<W>(gradient + at);
#pragma unroll
        for (int i = 0; i < W; ++i) {
            g.at[i] *= s.gradientScale;
            m.at[i] = s.beta1 * m.at[i] + (1.0F - s.beta1) * g.at[i];
            v.at[i] = s.beta2 * v.at[i] + (1.0F - s.beta2) * g.at[i] * g.at[i];
            value.at[i] =
                value.at[i] * step.keep - step.size * (m.at[i] / (std::sqrt(v.at[i]) / step.rootCorrection + s.epsilon));
        }
        store<W>(values + at, value);
        store<W>(first + at, m);
        store<W>(second + at, v);
        store<W>(gradient + at, Pack<W>{});
        if constexpr (Rounded)
            store<W>(rounded + at, value);
    });
}

} // namespace

Status adamwStep(Stream stream, float *values, Bf16 *rounded, float *gradient, float *first, float *second,
                 const AdamW &settings, std::int64_t count)
{
    const AdamWStep step = stepOf(settings);
    const bool isWhole = isWide<Bf16>({values, rounded, gradient, first, second}, {count});
    const Launch how = overElements(count, isWhole ? 8 : 1, stream, 1);
    if (isWhole && rounded != nullptr)
        return launch<adamwKernel<8, true>>(how, values, rounded, gradient, first, second, step, count);
    if (isWhole)
        return launch<adamwKernel<8, false>>(how, values, rounded, gradient, first, second, step, count);
    if (rounded != nullptr)
        return launch<adamwKernel<1, true>>(how, values, rounded, gradient, first, second, step, count);
    return launch<adamwKernel<1, false>>(how, values, rounded, gradient, first, second, step, count);
}

} // namespace stagelens::kernels::gpu
