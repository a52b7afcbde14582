// Products with epilogues: by the library, or as separate kernels if it does not support them.
#include "kernels/cuda/plans.h"
#include "kernels/cuda/types.h"
#include "kernels/include/elementwise.h"

namespace stagelens::kernels::gpu {
namespace {

template <class T>
bool isSound(const Operand<T> &operand, std::int64_t rows, std::int64_t columns)
{
    const bool isPlain = operand.form == Form::Plain;
    return operand.stride >= (isPlain ? columns : rows) && (operand.data != nullptr || rows == 0 || columns == 0);
}

template <class T, class Out>
bool isSound(const Product<T, Out> &product)
{
    const bool hasBias = product.epilogue == Epilogue::Bias || product.epilogue == Epilogue::Activation;
    const bool hasActivation = product.epilogue == Epilogue::Activation || product.epilogue == Epilogue::ActivationBackward;
    return product.rows >= 0 && product.columns >= 0 && product.inner >= 0 && product.stride >= product.columns &&
           isSound(product.a, product.rows, product.inner) && isSound(product.b, product.inner, product.columns) &&
           product.c != nullptr && (!hasBias || product.bias != nullptr) && (!hasActivation || product.between != nullptr);
}

/// An empty product: a shard without rows.
template <class T, class Out>
Status multiplyNothing(Stream stream, const Product<T, Out> &product)
{
    if (product.stride != product.columns || product.addend != nullptr || product.epilogue != Epilogue::None)
        return kUnsupported;
    const std::int64_t count = product.rows * product.columns;
    if (product.beta == 0.0F)
        return fill(stream, product.c, 0.0F, count);
    return product.beta == 1.0F ? Status{} : scale(stream, product.c, product.c, product.beta, count);
}

} // namespace

Products::Products(void *workspace, std::int64_t bytes) : m_state(std::make_unique<State>(workspace, bytes)) {}

Products::~Products() = default;

int Products::plans() const
{
    return m_state->plans();
}

template <class T, class Out>
Status Products::multiply(Stream stream, const Product<T, Out> &product)
{
    if (!isSound(product))
        return kUnsupported;
    if (product.rows == 0 || product.columns == 0)
        return {};
    if (product.inner == 0)
        return multiplyNothing(stream, product);
    const Call call = callOf(product);
    if (m_state->isFused(call))
        return m_state->run(stream, call);
    if (product.stride != product.columns)
        return kUnsupported;
    const std::int64_t count = product.rows * product.columns;
    Product<T, Out> bare = product;
    bare.epilogue = Epilogue::None;
    if (product.epilogue == Epilogue::ActivationBackward) {
        const Status status = multiply(stream, bare);
        return status.failed() ? status : activationBackward(stream, product.activation, product.c, product.between, count);
    }
    if (product.epilogue == Epilogue::Activation) {
        bare.epilogue = Epilogue::Bias;
        bare.addend = product.addend != nullptr || product.beta == 0.0F ? product.addend : product.c;
        bare.c = product.between;
        const Status status = multiply(stream, bare);
        return status.failed() ? status : activationForward(stream, product.activation, product.c, product.between, count);
    }
    if (product.beta != 0.0F && product.beta != 1.0F)
        return kUnsupported;
    const auto *residual = static_cast<const Out *>(product.beta == 0.0F ? nullptr : call.addend);
    if (const Status status = fillRows(stream, product.c, product.bias, residual, product.rows, product.columns);
        status.failed())
        return status;
    bare.beta = 1;
    bare.addend = nullptr;
    return multiply(stream, bare);
}

template Status Products::multiply(Stream, const Product<float, float> &);
#define STAGELENS_PRODUCTS_OF(T)                                                                                               \
    template Status Products::multiply(Stream, const Product<T, T> &);                                                         \
    template Status Products::multiply(Stream, const Product<T, float> &);
STAGELENS_TYPES_OF_16_BITS(STAGELENS_PRODUCTS_OF)
#undef STAGELENS_PRODUCTS_OF

} // namespace stagelens::kernels::gpu
