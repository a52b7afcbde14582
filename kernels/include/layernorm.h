// Layer normalisation over the rows of [rows, width].
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

inline constexpr float kLayerNormEpsilon = 1e-5F; ///< GPT-2's

/// out = (in - mean) * rstd * weight + bias; saves mean[rows] and rstd[rows] for the backward.
void layerNormForward(float *out, float *mean, float *rstd, const float *in, const float *weight, const float *bias,
                      std::int64_t rows, std::int64_t width);

/// inGradient += the gradient through the norm, so it may contain that of the residual branch. Adds the gradients of weight and
/// bias [width], in row order.
void layerNormBackward(float *inGradient, float *weightGradient, float *biasGradient, const float *outGradient, const float *in,
                       const float *mean, const float *rstd, const float *weight, std::int64_t rows, std::int64_t width);

namespace gpu {

/// As above, with statistics in float, of in + residual unless `residual` is null. Writes that sum as T to `sum`, which may be
/// `in` or `residual`; it is the `in` of the backward.
template <class T>
Status layerNormForward(Stream stream, T *out, float *mean, float *rstd, T *sum, const T *in, const T *residual,
                        const T *weight, const T *bias, std::int64_t rows, std::int64_t width);

/// Returns the floats of scratch of the backward of either norm.
[[nodiscard]] std::int64_t normScratch(std::int64_t rows, std::int64_t width);

/// As above, with weightGradient and biasGradient in float. The order of the sum depends only on `rows`.
template <class T>
Status layerNormBackward(Stream stream, T *inGradient, float *weightGradient, float *biasGradient, const T *outGradient,
                         const T *in, const float *mean, const float *rstd, const T *weight, std::int64_t rows,
                         std::int64_t width, float *scratch);

} // namespace gpu
} // namespace stagelens::kernels
