// Dense matrix products.
#pragma once

#include "kernels/include/activation.h"
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

/// What is applied to the product before it is rounded. `bias`[columns] is added to each row; `between` has the shape of C.
enum class Epilogue : unsigned char {
    None,
    Bias,              ///< C + bias
    Activation,        ///< between = C + bias; C = the activation function of `between`
    ActivationBackward ///< C times the derivative of the activation function at `between`
};

/// Computes the product in blocks of at most 10^9 FLOPs (10 to 50 ms on one core), and checks `interrupt` before each. The
/// blocks depend only on the shape, so equal calls give equal bits.
void multiply(const Product &product, const Interrupt &interrupt = {});

/// Computes the same with an untransposed A, alpha 1 and a beta of 0 or 1. A row of C has the same bits whatever the other rows
/// are: each of its elements is one chain of sums in the order of `inner`.
void multiplyRows(const Product &product, const Interrupt &interrupt = {});

/// Makes the library compute each call on its caller's thread. Call before the first product; may be repeated.
void useOneThreadPerCall();
/// Reserves the address space for products on `threads` concurrent threads, kProductBuffer each, until the process ends.
/// Without it the library retries allocations forever if memory is exhausted. Returns false if the system refuses; then no
/// product may be computed.
[[nodiscard]] bool reserveProducts(int threads);
/// Address space that the library reserves per thread. It uses only the memory that a product touches.
inline constexpr std::int64_t kProductBuffer = std::int64_t{128} << 20;
/// Returns the library with its version, target core and thread model.
[[nodiscard]] const char *libraryConfiguration();
[[nodiscard]] const char *libraryCore();

namespace gpu {

/// As above, for float, Bf16 or Fp16.
template <class T>
struct Operand {
    const T *data = nullptr;
    std::int64_t stride = 0;
    Form form = Form::Plain;
};

/// C = epilogue(alpha op(A) op(B) + beta D), row-major, accumulated in float, where D is `addend`, or C if that is null. Types:
/// all float (no TF32), all Bf16 or all Fp16, or these with a float C, for gradients of weights, with beta = 1.
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
    const Out *addend = nullptr; ///< a residual, for example
    const Out *bias = nullptr;
    Out *between = nullptr;                   ///< the input of the activation function
    Activation activation = Activation::Gelu; ///< of the epilogue
};

/// Workspace for fast products (cuBLASLt on Hopper).
inline constexpr std::int64_t kProductWorkspace = std::int64_t{32} << 20;

/// The products of one device, on one stream and one thread at a time. Selects an algorithm once for each shape, strides,
/// forms, types, epilogue and alignment up to 16 bytes, whatever alpha and beta, and caches it: equal products of equal numbers
/// have equal bits. No sum is split between thread blocks.
class Products {
public:
    /// The caller owns `workspace`, which must be aligned to 256 bytes.
    Products(void *workspace, std::int64_t bytes);
    ~Products();
    Products(const Products &) = delete;
    Products &operator=(const Products &) = delete;

    /// Returns kUnsupported if strides are too small or arrays are missing. If the library does not support an epilogue (an
    /// activation other than GELU; GELU of float, or of rows that are not a multiple of 8), or is slower with it (the
    /// derivative of an activation), separate kernels apply it; they need a dense C.
    template <class T, class Out>
    Status multiply(Stream stream, const Product<T, Out> &product);

    /// Returns the number of cached algorithms.
    [[nodiscard]] int plans() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace gpu

} // namespace stagelens::kernels
