// Compression of gradients, with what is left kept in a residual. engine/operators/compression describes the methods.
#pragma once

#include "kernels/include/parts.h"
#include "kernels/include/stream.h"

#include <cstdint>
#include <span>

namespace stagelens::kernels {

/// Signs in a float of a message, which begins with the scale.
inline constexpr std::int64_t kSignsOfFloat = 32;
[[nodiscard]] constexpr std::int64_t signFloats(std::int64_t count)
{
    return 1 + (count + kSignsOfFloat - 1) / kSignsOfFloat;
}
/// Writes the mean of the sizes and a bit for each number, and subtracts what they say from the residual.
void encodeSigns(float *message, float *residual, std::int64_t count);
/// The same with a given scale; `count` may be 0.
void encodeSignsOf(float scale, float *message, float *residual, std::int64_t count);
/// sum = the numbers that the messages say, added in order.
void decodeSigns(float *sum, std::span<float *const> messages, std::int64_t count);

/// Writes the `chosen` numbers that are greatest in size, of equal ones the first, each with its place, in the order of the
/// places, and clears them in the residual. NaN counts as the greatest, so that it is seen.
void encodeGreatest(float *message, float *residual, std::int64_t count, std::int64_t chosen);
/// sum = 0, then the numbers of the messages are added at their places, in order.
void decodeGreatest(float *sum, std::span<float *const> messages, std::int64_t count, std::int64_t chosen);

/// A matrix [rows, columns] that is replaced by left [rows, rank] x right [columns, rank]', row after row.
struct LowRank {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t rank = 0;
    [[nodiscard]] std::int64_t count() const { return rows * columns; }
};
/// left = matrix x right.
void multiplyByRight(float *left, const float *matrix, const float *right, const LowRank &shape);
/// right = matrix' x left.
void multiplyByLeft(float *right, const float *matrix, const float *left, const LowRank &shape);
/// Makes the columns of `left` orthonormal by Gram-Schmidt, each twice, because one pass leaves rounding errors of the length
/// that it removes. A column that depends on those before it becomes 0.
void orthonormalise(float *left, const LowRank &shape);
/// right /= replicas, sum = replicas x left x right', residual -= left x right', and state = right except for columns in which
/// `left` is 0.
void decodeLowRank(float *sum, float *residual, float *state, const float *left, float *right, const LowRank &shape,
                   int replicas);

namespace gpu {

// As above, in device memory. Sums over a whole array are in double in another order than the CPU's; the rest gives its bits.
// The products of LowRank are those of Products.

/// Return the doubles and the numbers of 64 bits of scratch.
[[nodiscard]] std::int64_t signsScratch(std::int64_t count);
[[nodiscard]] std::int64_t greatestScratch(std::int64_t count);
Status encodeSigns(Stream stream, float *message, float *residual, std::int64_t count, double *scratch);
Status encodeSignsOf(Stream stream, float scale, float *message, float *residual, std::int64_t count);
Status decodeSigns(Stream stream, float *sum, const Parts<float> &messages, std::int64_t count);
Status encodeGreatest(Stream stream, float *message, float *residual, std::int64_t count, std::int64_t chosen,
                      std::int64_t *scratch);
Status decodeGreatest(Stream stream, float *sum, const Parts<float> &messages, std::int64_t count, std::int64_t chosen);
Status orthonormalise(Stream stream, float *left, const LowRank &shape);
Status decodeLowRank(Stream stream, float *sum, float *residual, float *state, const float *left, float *right,
                     const LowRank &shape, int replicas);

} // namespace gpu

} // namespace stagelens::kernels
