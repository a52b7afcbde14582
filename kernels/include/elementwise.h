// Elementwise kernels, and sums in a fixed order. Arrays may be unaligned. They must not overlap unless a comment allows it.
#pragma once

#include "kernels/include/parts.h"
#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

/// to += from.
void add(float *to, const float *from, std::int64_t count);
/// to = from * factor; `to` may be `from`.
void scale(float *to, const float *from, float factor, std::int64_t count);
/// to += from * factor.
void addScaled(float *to, const float *from, float factor, std::int64_t count);
/// to[rows, width] += factor[row] * from[row].
void addScaledRows(float *to, const float *from, const float *factor, std::int64_t rows, std::int64_t width);
/// Returns the sum of squares, in double, in a fixed order.
[[nodiscard]] double sumOfSquares(const float *values, std::int64_t count);

/// out[rows, width] = bias + residual, row by row; a null residual counts as zeros.
void fillRows(float *out, const float *bias, const float *residual, std::int64_t rows, std::int64_t width);
/// sums[width] += the sum of the rows of in[rows, width], in row order.
void addColumnSums(float *sums, const float *in, std::int64_t rows, std::int64_t width);

namespace gpu {

/// As above; add() and addScaled() round a product before they add it, and give the CPU's bits for float.
template <class T>
Status add(Stream stream, T *to, const T *from, std::int64_t count);
template <class T>
Status addScaled(Stream stream, T *to, const T *from, float factor, std::int64_t count);
template <class T>
Status scale(Stream stream, T *to, const T *from, float factor, std::int64_t count);

/// to = from, rounded if T has fewer bits.
template <class T>
Status convert(Stream stream, T *to, const float *from, std::int64_t count);
template <class T>
Status fill(Stream stream, T *to, float value, std::int64_t count);

/// Returns the doubles of scratch of sumOfSquares().
[[nodiscard]] std::int64_t squaresScratch(std::int64_t count);
/// As above, into device memory.
Status sumOfSquares(Stream stream, double *sum, const float *values, std::int64_t count, double *scratch);

/// As above.
template <class T>
Status fillRows(Stream stream, T *out, const T *bias, const T *residual, std::int64_t rows, std::int64_t width);

/// Returns the floats of scratch of addColumnSums().
[[nodiscard]] std::int64_t columnSumsScratch(std::int64_t rows, std::int64_t width);
/// As above. The order of the sum depends only on `rows`.
template <class T>
Status addColumnSums(Stream stream, float *sums, const T *in, std::int64_t rows, std::int64_t width, float *scratch);

/// out = the sum of the parts in rank order, accumulated in float and rounded once. `out` may be one of the parts.
template <class T>
Status sumParts(Stream stream, T *out, const Parts<T> &parts, std::int64_t count);
/// As above, with row i of part k [rows, width] multiplied by factors[k, i].
template <class T>
Status sumScaledParts(Stream stream, T *out, const Parts<T> &parts, const float *factors, std::int64_t rows,
                      std::int64_t width);

} // namespace gpu

} // namespace stagelens::kernels
