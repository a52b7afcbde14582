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
    /// 1-bit Adam (arXiv 2102.02888) after its warm-up: the second moments stay as they are, and the gradient may be the new
    /// first moments.
    enum class Second : unsigned char { Updated, Frozen, FrozenWithMomentum } second = Second::Updated;
};

/// One step of `count` values with their moments; the gradient becomes 0.
void adamwStep(float *values, float *gradient, float *first, float *second, const AdamW &settings, std::int64_t count);

namespace gpu {

/// As above. If `rounded` (Bf16 or Fp16) is not null, also writes the new values to it, rounded to nearest.
template <class T>
Status adamwStep(Stream stream, float *values, T *rounded, float *gradient, float *first, float *second, const AdamW &settings,
                 std::int64_t count);

} // namespace gpu

} // namespace stagelens::kernels
