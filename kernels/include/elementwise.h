// Element by element kernels and sums in a fixed order. Arrays may be unaligned; they must not overlap unless it is said.
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

/// to += from.
void add(float *to, const float *from, std::int64_t count);
/// to = from * factor; `to` may be `from`.
void scale(float *to, const float *from, float factor, std::int64_t count);
/// to += from * factor.
void addScaled(float *to, const float *from, float factor, std::int64_t count);
/// Sum of squares, in double, in a fixed order.
[[nodiscard]] double sumOfSquares(const float *values, std::int64_t count);

/// Every row of out[rows, width] = bias + the row of `residual` (or of zeros where it is null).
void fillRows(float *out, const float *bias, const float *residual, std::int64_t rows, std::int64_t width);
/// sums[width] += the sum of the rows of in[rows, width], in row order.
void addColumnSums(float *sums, const float *in, std::int64_t rows, std::int64_t width);

/// The tanh form of GELU that GPT-2 uses ("gelu_new"): 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
void geluForward(float *out, const float *in, std::int64_t count);
/// gradient *= d gelu / dx at `in`.
void geluBackward(float *gradient, const float *in, std::int64_t count);

namespace gpu {

/// As above.
template <class T>
Status geluForward(Stream stream, T *out, const T *in, std::int64_t count);
template <class T>
Status geluBackward(Stream stream, T *gradient, const T *in, std::int64_t count);

} // namespace gpu

} // namespace stagelens::kernels
