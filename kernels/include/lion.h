// Lion (Chen et al., arXiv 2302.06675, algorithm 2).
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

struct Lion {
    float learningRate = 0;
    float beta1 = 0; ///< share of the momentum in the direction
    float beta2 = 0; ///< decay of the momentum
    float weightDecay = 0;
    float gradientScale = 1; ///< for clipping
};

/// One step of `count` values: value -= rate (sign(beta1 m + (1 - beta1) g) + decay value), then m = beta2 m + (1 - beta2) g.
/// The sign of 0 is 0. The gradient becomes 0.
void lionStep(float *values, float *gradient, float *momentum, const Lion &settings, std::int64_t count);

namespace gpu {

/// As above.
Status lionStep(Stream stream, float *values, float *gradient, float *momentum, const Lion &settings, std::int64_t count);

} // namespace gpu

} // namespace stagelens::kernels
