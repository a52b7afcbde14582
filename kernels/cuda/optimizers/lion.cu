// Lion.
#include "kernels/include/lion.h"

#include "kernels/cuda/optimizers/momentum.h"

namespace stagelens::kernels::gpu {
namespace {

struct LionRule {
    Lion s;
    float keep; ///< factor of a value for weight decay
    STAGELENS_DEVICE void update(float &value, float &momentum, float gradient) const
    {
        const float scaled = gradient * s.gradientScale;
        const float mix = s.beta1 * momentum + (1.0F - s.beta1) * scaled;
        const float up = mix > 0.0F ? s.learningRate : 0.0F;
        const float down = mix < 0.0F ? s.learningRate : 0.0F;
        momentum = s.beta2 * momentum + (1.0F - s.beta2) * scaled;
        value = value * keep - (up - down);
    }
};

} // namespace

Status lionStep(Stream stream, float *values, float *gradient, float *momentum, const Lion &settings, std::int64_t count)
{
    const LionRule rule{settings, 1.0F - settings.learningRate * settings.weightDecay};
    return momentumStep(stream, values, gradient, momentum, rule, count);
}

} // namespace stagelens::kernels::gpu
