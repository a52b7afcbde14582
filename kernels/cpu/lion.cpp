#include "kernels/include/lion.h"

#include "kernels/cpu/dispatch.h"

namespace stagelens::kernels {
namespace {

STAGELENS_INLINE void lionStepLoop(float *__restrict values, float *__restrict gradient, float *__restrict momentum,
                                   const Lion &settings, std::int64_t count)
{
    const Lion s = settings;
    const float keep = 1.0F - s.learningRate * s.weightDecay;
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradient[i] * s.gradientScale;
        const float mix = s.beta1 * momentum[i] + (1.0F - s.beta1) * g;
        const float up = mix > 0.0F ? s.learningRate : 0.0F;
        const float down = mix < 0.0F ? s.learningRate : 0.0F;
        momentum[i] = s.beta2 * momentum[i] + (1.0F - s.beta2) * g;
        values[i] = values[i] * keep - (up - down);
        gradient[i] = 0.0F;
    }
}

} // namespace

void lionStep(float *values, float *gradient, float *momentum, const Lion &settings, std::int64_t count)
{
    runBest<lionStepLoop>(values, gradient, momentum, settings, count);
}

} // namespace stagelens::kernels
