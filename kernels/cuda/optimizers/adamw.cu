// AdamW with master weights in float. Bytes per parameter: 16 read (value, gradient, two moments), 16 written (the gradient is
// cleared), 2 for the rounded copy: 34, so 7.9 ms for 10^9 parameters at the 4.3 TB/s copy bandwidth of an H200. About 15
// FLOPs: memory-bound. Target: 85 % of copy bandwidth.
#include "kernels/include/adamw.h"

#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/optimizers/adamw_step.h"

namespace stagelens::kernels::gpu {
namespace {

/// T: of the rounded copy; float if there is none.
template <class T, int W>
STAGELENS_KERNEL(kElementThreads, 4)
adamwKernel(float *values, T *rounded, float *gradient, float *first, float *second, AdamWStep step, std::int64_t count)
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
        if constexpr (!std::is_same_v<T, float>)
            store<W>(rounded + at, value);
    });
}

/// With second moments that stay as they are: 28 bytes per parameter, and 2 for the rounded copy. `old` and `share` are the
/// factors of the first moments and of the gradient.
template <class T, int W>
STAGELENS_KERNEL(kElementThreads, 4)
frozenKernel(float *values, T *rounded, float *gradient, float *first, const float *second, AdamWStep step, float old,
             float share, std::int64_t count)
{
    eachPack<W, 1>(count, [&](std::int64_t at) {
        Pack<W> value = load<W>(values + at);
        Pack<W> m = load<W>(first + at);
        const Pack<W> v = load<W>(second + at);
        const Pack<W> g = load<W>(gradient + at);
#pragma unroll
        for (int i = 0; i < W; ++i) {
            m.at[i] = old * m.at[i] + share * g.at[i];
            value.at[i] = value.at[i] * step.keep -
                          step.size * (m.at[i] / (std::sqrt(v.at[i]) / step.rootCorrection + step.settings.epsilon));
        }
        store<W>(values + at, value);
        store<W>(first + at, m);
        store<W>(gradient + at, Pack<W>{});
        if constexpr (!std::is_same_v<T, float>)
            store<W>(rounded + at, value);
    });
}

template <class T, int W>
Status start(Stream stream, float *values, T *rounded, float *gradient, float *first, float *second, const AdamW &settings,
             std::int64_t count)
{
    const AdamWStep step = stepOf(settings);
    const Launch how = overElements(count, W, stream, 1);
    if (settings.second == AdamW::Second::Updated)
        return launch<adamwKernel<T, W>>(how, values, rounded, gradient, first, second, step, count);
    const bool isMomentum = settings.second == AdamW::Second::FrozenWithMomentum;
    const float old = isMomentum ? 0.0F : settings.beta1;
    const float share = isMomentum ? 1.0F : (1.0F - settings.beta1) * settings.gradientScale;
    return launch<frozenKernel<T, W>>(how, values, rounded, gradient, first, second, step, old, share, count);
}

template <class T>
Status start(Stream stream, float *values, T *rounded, float *gradient, float *first, float *second, const AdamW &settings,
             std::int64_t count)
{
    return isWide<Bf16>({values, rounded, gradient, first, second}, {count})
               ? start<T, 8>(stream, values, rounded, gradient, first, second, settings, count)
               : start<T, 1>(stream, values, rounded, gradient, first, second, settings, count);
}

} // namespace

template <class T>
Status adamwStep(Stream stream, float *values, T *rounded, float *gradient, float *first, float *second, const AdamW &settings,
                 std::int64_t count)
{
    if (rounded == nullptr)
        return start<float>(stream, values, nullptr, gradient, first, second, settings, count);
    return start(stream, values, rounded, gradient, first, second, settings, count);
}

#define STAGELENS_ADAMW_OF(T)                                                                                                  \
    template Status adamwStep(Stream, float *, T *, float *, float *, float *, const AdamW &, std::int64_t);
STAGELENS_TYPES_OF_16_BITS(STAGELENS_ADAMW_OF)
#undef STAGELENS_ADAMW_OF

} // namespace stagelens::kernels::gpu
