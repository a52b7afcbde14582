// Gradient descent with momentum, as torch.optim.SGD computes it without dampening.
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

struct Sgd {
    float learningRate = 0;
    float momentum = 0;
    float weightDecay = 0;   ///< added to the gradient
    float gradientScale = 1; ///< for clipping
};

/// One step of `count` values: momentum = mu momentum + (gradient + decay value), value -= rate momentum. The gradient becomes
/// 0.
void sgdStep(float *values, float *gradient, float *momentum, const Sgd &settings, std::int64_t count);

namespace gpu {

/// As above.
Status sgdStep(Stream stream, float *values, float *gradient, float *momentum, const Sgd &settings, std::int64_t count);

} // namespace gpu

} // namespace stagelens::kernels
