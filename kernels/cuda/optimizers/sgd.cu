// Gradient descent with momentum.
#include "kernels/include/sgd.h"

#include "kernels/cuda/optimizers/momentum.h"

namespace stagelens::kernels::gpu {
namespace {

struct SgdRule {
    Sgd s;
    STAGELENS_DEVICE void update(float &value, float &momentum, float gradient) const
    {
        momentum = s.momentum * momentum + (gradient * s.gradientScale + s.weightDecay * value);
        value -= s.learningRate * momentum;
    }
};

} // namespace

Status sgdStep(Stream stream, float *values, float *gradient, float *momentum, const Sgd &settings, std::int64_t count)
{
    return momentumStep(stream, values, gradient, momentum, SgdRule{settings}, count);
}

} // namespace stagelens::kernels::gpu
