// Dense matrix products.
#pragma once

#include "kernels/include/interrupt.h"

#include <cstdint>

namespace stagelens::kernels {

enum class Form : unsigned char { Plain, Transposed };

/// A row-major operand: element (i, j) of the stored matrix is data[i * stride + j].
struct Operand {
    const float *data = nullptr;
    std::int64_t stride = 0;
    Form form = Form::Plain;
};

/// C[rows, columns] = alpha op(A)[rows, inner] op(B)[inner, columns] + beta C, row-major.
struct Product {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t inner = 0;
    Operand a;
    Operand b;
    float *c = nullptr;
    std::int64_t stride = 0; ///< of C
    float alpha = 1;
    float beta = 0;
};

/// Computes the product in blocks of at most about 10^9 FLOPs (10 to 50 ms on one core), with a question to `interrupt` before
/// each. The cut depends on the shape alone, so equal calls give equal bits.
void multiply(const Product &product, const Interrupt &interrupt = {});

/// Makes the library compute each call on its caller's thread. Call before the first product; cheap to repeat.
void useOneThreadPerCall();
/// The library with its version, target core and thread model.
[[nodiscard]] const char *libraryConfiguration();
[[nodiscard]] const char *libraryCore();

} // namespace stagelens::kernels
