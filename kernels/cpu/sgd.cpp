#include "kernels/include/sgd.h"

#include "kernels/cpu/dispatch.h"

namespace stagelens::kernels {
namespace {

STAGELENS_INLINE void sgdStepLoop(float *__restrict values, float *__restrict gradient, float *__restrict momentum,
                                  const Sgd &settings, std::int64_t count)
{
    const Sgd s = settings;
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradient[i] * s.gradientScale + s.weightDecay * values[i];
        const float m = s.momentum * momentum[i] + g;
        momentum[i] = m;
        values[i] -= s.learningRate * m;
        gradient[i] = 0.0F;
    }
}

} // namespace

void sgdStep(float *values, float *gradient, float *momentum, const Sgd &settings, std::int64_t count)
{
    runBest<sgdStepLoop>(values, gradient, momentum, settings, count);
}

} // namespace stagelens::kernels
