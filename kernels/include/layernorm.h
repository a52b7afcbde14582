// Layer normalisation over the rows of [rows, width].
#pragma once

#include <cstdint>

namespace stagelens::kernels {

inline constexpr float kLayerNormEpsilon = 1e-5F; ///< GPT-2's

/// out = (in - mean) * rstd * weight + bias; keeps mean[rows] and rstd[rows] for the backward.
void layerNormForward(float *out, float *mean, float *rstd, const float *in, const float *weight, const float *bias,
                      std::int64_t rows, std::int64_t width);

/// inGradient += gradient through the norm (so that it may hold the residual branch's); weightGradient and biasGradient
/// [width] += theirs, in row order.
void layerNormBackward(float *inGradient, float *weightGradient, float *biasGradient, const float *outGradient, const float *in,
                       const float *mean, const float *rstd, const float *weight, std::int64_t rows, std::int64_t width);

} // namespace stagelens::kernels
