#include "kernels/include/adamw.h"

#include "kernels/cpu/dispatch.h"

#include <cmath>

namespace stagelens::kernels {
namespace {

STAGELENS_INLINE void adamwStepLoop(float *__restrict values, float *__restrict gradient, float *__restrict first,
                                    float *__restrict second, const AdamW &settings, std::int64_t count)
{
    const AdamW s = settings;
    const float keep = 1.0F - s.learningRate * s.weightDecay;
    const float step = s.learningRate / s.correction1;
    const float rootCorrection = std::sqrt(s.correction2);
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradient[i] * s.gradientScale;
        const float m = s.beta1 * first[i] + (1.0F - s.beta1) * g;
        const float v = s.beta2 * second[i] + (1.0F - s.beta2) * g * g;
        first[i] = m;
        second[i] = v;
        values[i] = values[i] * keep - step * (m / (__builtin_sqrtf(v) / rootCorrection + s.epsilon));
        gradient[i] = 0.0F;
    }
}

/// With second moments that stay as they are.
STAGELENS_INLINE void frozenStepLoop(float *__restrict values, float *__restrict gradient, float *__restrict first,
                                     float *__restrict second, const AdamW &settings, std::int64_t count)
{
    const AdamW s = settings;
    const bool isMomentum = s.second == AdamW::Second::FrozenWithMomentum;
    const float keep = 1.0F - s.learningRate * s.weightDecay;
    const float step = s.learningRate / s.correction1;
    const float rootCorrection = std::sqrt(s.correction2);
    const float old = isMomentum ? 0.0F : s.beta1;
    const float share = isMomentum ? 1.0F : (1.0F - s.beta1) * s.gradientScale;
    for (std::int64_t i = 0; i < count; ++i) {
        const float m = old * first[i] + share * gradient[i];
        first[i] = m;
        values[i] = values[i] * keep - step * (m / (__builtin_sqrtf(second[i]) / rootCorrection + s.epsilon));
        gradient[i] = 0.0F;
    }
}

} // namespace

void adamwStep(float *values, float *gradient, float *first, float *second, const AdamW &settings, std::int64_t count)
{
    if (settings.second == AdamW::Second::Updated)
        runBest<adamwStepLoop>(values, gradient, first, second, settings, count);
    else
        runBest<frozenStepLoop>(values, gradient, first, second, settings, count);
}

} // namespace stagelens::kernels
