// Root mean square normalisation (Zhang & Sennrich, arXiv 1910.07467) over the rows of [rows, width].
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

inline constexpr float kRmsNormEpsilon = 1e-6F; ///< the default of transformers' LlamaConfig

/// out = in * rstd * weight with rstd = 1 / sqrt(mean of squares + epsilon); saves rstd[rows] for the backward.
void rmsNormForward(float *out, float *rstd, const float *in, const float *weight, std::int64_t rows, std::int64_t width,
                    float epsilon = kRmsNormEpsilon);

/// inGradient += the gradient through the norm, so it may contain that of the residual branch. Adds the gradient of weight
/// [width], in row order.
void rmsNormBackward(float *inGradient, float *weightGradient, const float *outGradient, const float *in, const float *rstd,
                     const float *weight, std::int64_t rows, std::int64_t width);

namespace gpu {

/// Like gpu::layerNormForward(), without mean and bias.
template <class T>
Status rmsNormForward(Stream stream, T *out, float *rstd, T *sum, const T *in, const T *residual, const T *weight,
                      std::int64_t rows, std::int64_t width, float epsilon = kRmsNormEpsilon);

/// Like gpu::layerNormBackward(), with the same scratch.
template <class T>
Status rmsNormBackward(Stream stream, T *inGradient, float *weightGradient, const T *outGradient, const T *in,
                       const float *rstd, const T *weight, std::int64_t rows, std::int64_t width, float *scratch);

} // namespace gpu
} // namespace stagelens::kernels
