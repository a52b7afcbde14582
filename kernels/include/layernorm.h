// Layer normalisation over the rows of [rows, width].
#pragma once

#include "kernels/include/stream.h"

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

namespace gpu {

/// As above with statistics in float, of in + residual where `residual` is not null; `sum`, which may be `in` or `residual`,
/// gets that as T, and it is the `in` of the backward.
template <class T>
Status layerNormForward(Stream stream, T *out, float *mean, float *rstd, T *sum, const T *in, const T *residual,
                        const T *weight, const T *bias, std::int64_t rows, std::int64_t width);

/// Floats of scratch of the backwards of both norms.
[[nodiscard]] std::int64_t normScratch(std::int64_t rows, std::int64_t width);

/// As above with weightGradient and biasGradient in float; rows are summed in an order that depends on `rows` alone.
template <class T>
Status layerNormBackward(Stream stream, T *inGradient, float *weightGradient, float *biasGradient, const T *outGradient,
                         const T *in, const float *mean, const float *rstd, const T *weight, std::int64_t rows,
                         std::int64_t width, float *scratch);

} // namespace gpu
} // namespace stagelens::kernels
