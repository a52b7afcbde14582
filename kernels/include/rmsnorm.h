// Root mean square normalisation (Zhang & Sennrich, arXiv 1910.07467) over the rows of [rows, width].
#pragma once

#include <cstdint>

namespace stagelens::kernels {

inline constexpr float kRmsNormEpsilon = 1e-6F; ///< the default of transformers' LlamaConfig

/// out = in * rstd * weight with rstd = 1 / sqrt(mean of the squares + epsilon); keeps rstd[rows] for the backward.
void rmsNormForward(float *out, float *rstd, const float *in, const float *weight, std::int64_t rows, std::int64_t width);

/// inGradient += gradient through the norm (so that it may hold the residual branch's); weightGradient[width] += its own, in
/// row order.
void rmsNormBackward(float *inGradient, float *weightGradient, const float *outGradient, const float *in, const float *rstd,
                     const float *weight, std::int64_t rows, std::int64_t width);

} // namespace stagelens::kernels
