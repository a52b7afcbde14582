// The key of an algorithm for a product, and the interface of its implementations: cuBLASLt (kernels/cuda/blas.cpp), or loops
// on the host (tests/cuda_emulator/blas.cpp).
#pragma once

#include "kernels/include/fp16.h"
#include "kernels/include/matmul.h"

#include <compare>
#include <initializer_list>
#include <map>
#include <type_traits>

namespace stagelens::kernels::gpu {

/// The type of an array.
enum class Number : unsigned char { Float, Bf16, Fp16 };

template <class T>
inline constexpr Number kNumber = std::is_same_v<T, float>  ? Number::Float
                                  : std::is_same_v<T, Bf16> ? Number::Bf16
                                                            : Number::Fp16;

struct PlanKey {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t inner = 0;
    std::int64_t aStride = 0;
    std::int64_t bStride = 0;
    std::int64_t stride = 0;
    Form aForm = Form::Plain;
    Form bForm = Form::Plain;
    Epilogue epilogue = Epilogue::None;
    Number operands = Number::Float;
    Number out = Number::Float;
    unsigned char alignment = 0; ///< least alignment of all arrays, a power of two up to 16

    friend auto operator<=>(const PlanKey &, const PlanKey &) = default;
};

/// A product without its types.
struct Call {
    PlanKey key;
    const void *a = nullptr;
    const void *b = nullptr;
    const void *addend = nullptr;
    void *c = nullptr;
    const void *bias = nullptr;
    void *between = nullptr;
    float alpha = 1;
    float beta = 0;
    Activation activation = Activation::Gelu; ///< of the epilogue; the library has only GELU
};

/// Returns the alignment; null counts as aligned.
inline unsigned char alignmentOf(std::initializer_list<const void *> addresses)
{
    std::uintptr_t bits = 16;
    for (const void *address : addresses)
        bits |= reinterpret_cast<std::uintptr_t>(address);
    return static_cast<unsigned char>(bits & (~bits + 1));
}

template <class T, class Out>
Call callOf(const Product<T, Out> &product)
{
    Call call{{},           product.a.data,    product.b.data,  product.addend != nullptr ? product.addend : product.c,
              product.c,    product.bias,      product.between, product.alpha,
              product.beta, product.activation};
    call.key = {
        product.rows,     product.columns,  product.inner,
        product.a.stride, product.b.stride, product.stride,
        product.a.form,   product.b.form,   product.epilogue,
        kNumber<T>,       kNumber<Out>,     alignmentOf({call.a, call.b, call.addend, call.c, call.bias, call.between})};
    return call;
}

/// An implementation of products.
struct Products::State {
    State(void *workspace, std::int64_t bytes);
    ~State();
    State(const State &) = delete;
    State &operator=(const State &) = delete;

    /// Returns whether run() includes the epilogue; always true without one.
    bool isFused(const Call &call);
    Status run(Stream stream, const Call &call);
    [[nodiscard]] int plans() const;

private:
    struct Library;
    std::unique_ptr<Library> m_library;
};

} // namespace stagelens::kernels::gpu
