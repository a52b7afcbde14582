// Adafactor (Shazeer & Stern, arXiv 1804.04235) as in T5 and transformers, without momentum: the second moments of a matrix are
// the product of a mean for each row and one for each column.
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

struct Adafactor {
    float learningRate = 0;
    float decay = 0;         ///< of the means: 1 - t^-0.8, t from 1
    float epsilon1 = 1e-30F; ///< added to squares of the gradient
    float epsilon2 = 1e-3F;  ///< least root mean square of a parameter that the rate is multiplied by
    float weightDecay = 0;
    float gradientScale = 1;    ///< for clipping
    bool scalesByValue = false; ///< whether the rate is multiplied by the root mean square of the parameter
};

/// Rows of a matrix that has `allRows` rows, with the means of these rows and of all columns.
struct AdafactorRows {
    float *values = nullptr;
    float *gradient = nullptr;
    float *rowMeans = nullptr;
    float *columnMeans = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t allRows = 0;
};

/// Returns the number of sums over the rows of a matrix: for each column, the squares of the gradient and these squares divided
/// by the mean of their row; then the means of the rows and the squares of the values.
[[nodiscard]] constexpr std::int64_t adafactorSums(std::int64_t columns)
{
    return 2 * columns + 2;
}
/// Updates the means of the rows and computes their sums, in row order.
void adafactorSums(double *sums, const AdafactorRows &part, const Adafactor &settings);
/// Updates the means of the columns and the values from the sums over all rows. The gradient becomes 0.
void adafactorStep(const AdafactorRows &part, double *sums, const Adafactor &settings);

/// The same for a vector, which has a second moment per element: the squares of the update before it is limited, and the
/// squares of the values.
inline constexpr std::int64_t kAdafactorVectorSums = 2;
void adafactorVectorSums(double *sums, const float *values, const float *gradient, float *moments, std::int64_t count,
                         const Adafactor &settings);
void adafactorVectorStep(float *values, float *gradient, const float *moments, std::int64_t count, const double *sums,
                         const Adafactor &settings);

namespace gpu {

// As above, in device memory. The order of a sum depends only on the shape, and is not that of the CPU: sums differ by
// roundings of double, so means and updates by at most one unit in the last place of a float.

/// Returns the doubles of scratch of adafactorSums() for a part of that shape.
[[nodiscard]] std::int64_t adafactorScratch(std::int64_t rows, std::int64_t columns);
Status adafactorSums(Stream stream, double *sums, const AdafactorRows &part, const Adafactor &settings, double *scratch);
Status adafactorStep(Stream stream, const AdafactorRows &part, double *sums, const Adafactor &settings);
Status adafactorVectorSums(Stream stream, double *sums, const float *values, const float *gradient, float *moments,
                           std::int64_t count, const Adafactor &settings);
Status adafactorVectorStep(Stream stream, float *values, float *gradient, const float *moments, std::int64_t count,
                           const double *sums, const Adafactor &settings);
/// to += from.
Status addDoubles(Stream stream, double *to, const double *from, std::int64_t count);

} // namespace gpu

} // namespace stagelens::kernels
