// A product of doubles, for reference computations.
#pragma once

#include "kernels/include/matmul.h"

#include <cstdint>

namespace stagelens::kernels {

/// C[rows, columns] = op(A) op(B) + beta C, all dense and row-major. Throws like multiply().
void multiplyDoubles(double *c, const double *a, Form aForm, const double *b, Form bForm, std::int64_t rows,
                     std::int64_t columns, std::int64_t inner, double beta);

} // namespace stagelens::kernels
