// AdamW (Loshchilov & Hutter, arXiv 1711.05101) as PyTorch computes it.
#pragma once

#include "kernels/include/bf16.h"
#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

struct AdamW {
    float learningRate = 0;
    float beta1 = 0;
    float beta2 = 0;
    float epsilon = 1e-8F;
    float weightDecay = 0;
    float gradientScale = 1; ///< for clipping
    float correction1 = 1;   ///< 1 - beta1^t, t from 1
    float correction2 = 1;   ///< 1 - beta2^t
};

/// One step of `count` values with their moments; the gradient becomes 0.
void adamwStep(float *values, float *gradient, float *first, float *second, const AdamW &settings, std::int64_t count);

namespace gpu {

/// As above. If `rounded` is not null, also writes the new values to it, rounded to nearest.
Status adamwStep(Stream stream, float *values, Bf16 *rounded, float *gradient, float *first, float *second,
                 const AdamW &settings, std::int64_t count);

} // namespace gpu

} // namespace stagelens::kernels
