// Dense matrix products.
#pragma once

#include "kernels/include/bf16.h"
#include "kernels/include/interrupt.h"
#include "kernels/include/stream.h"

#include <cstdint>
#include <memory>

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

/// What follows the product before it is rounded. `bias`[columns] belongs to each row; `between` has the form of C.
enum class Epilogue : unsigned char {
    None,
    Bias,        ///< C + bias
    Gelu,        ///< between = C + bias; C = GELU in its tanh form of that
    GeluBackward ///< C times the derivative of GELU at `between`
};

/// Computes the product in blocks of at most about 10^9 FLOPs (10 to 50 ms on one core), with a question to `interrupt` before
/// each. The cut depends on the shape alone, so equal calls give equal bits.
void multiply(const Product &product, const Interrupt &interrupt = {});

/// Makes the library compute each call on its caller's thread. Call before the first product; cheap to repeat.
void useOneThreadPerCall();
/// Reserves the address space that the library needs for products on `threads` threads at once, kProductBuffer each, for the
/// life of the process. Without it the library would ask for memory again and again, for ever, where there is none. False if
/// the system refuses it; then no product may be computed.
[[nodiscard]] bool reserveProducts(int threads);
/// Bytes of address space that the library takes for a thread. Of memory it takes what a product touches.
inline constexpr std::int64_t kProductBuffer = std::int64_t{128} << 20;
/// The library with its version, target core and thread model.
[[nodiscard]] const char *libraryConfiguration();
[[nodiscard]] const char *libraryCore();

namespace gpu {

/// As above, of float or Bf16.
template <class T>
struct Operand {
    const T *data = nullptr;
    std::int64_t stride = 0;
    Form form = Form::Plain;
};

/// C = epilogue(alpha op(A) op(B) + beta D), row-major, summed in float, where D is `addend` or, where that is null, C. The
/// types are float alone (true float: no TF32), Bf16 alone, or Bf16 with a C of float: gradients of weights, with beta = 1.
template <class T, class Out = T>
struct Product {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t inner = 0;
    Operand<T> a;
    Operand<T> b;
    Out *c = nullptr;
    std::int64_t stride = 0; ///< of C, `addend` and `between`
    float alpha = 1;
    float beta = 0;
    Epilogue epilogue = Epilogue::None;
    const Out *addend = nullptr; ///< a residual, say
    const Out *bias = nullptr;
    Out *between = nullptr; ///< what stands between product and GELU
};

/// Device memory that products need to be fast (cuBLASLt on Hopper).
inline constexpr std::int64_t kProductWorkspace = std::int64_t{32} << 20;

/// Products of one device and, at a time, one stream and one thread. The way to compute a product is chosen once for its shape,
/// strides, forms, types, epilogue and the alignment of its arrays up to 16 bytes, whatever alpha and beta, and kept: equal
/// products of equal numbers have equal bits. No sum is split between blocks.
class Products {
public:
    /// `workspace` stays the caller's, and is at an address that is a multiple of 256.
    Products(void *workspace, std::int64_t bytes);
    ~Products();
    Products(const Products &) = delete;
    Products &operator=(const Products &) = delete;

    /// kUnsupported where strides are too small or arrays are missing. Where the library cannot do an epilogue (GELU of float,
    /// or of rows that are no multiple of 8) kernels follow the product; those need C without gaps between its rows.
    template <class T, class Out>
    Status multiply(Stream stream, const Product<T, Out> &product);

    /// Ways that have been chosen so far.
    [[nodiscard]] int plans() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace gpu

} // namespace stagelens::kernels
