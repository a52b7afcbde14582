// Pointers to numbers whose precision is known at run time.
#pragma once

#include "engine/base/precision.h"
#include "kernels/include/bf16.h"
#include "kernels/include/fp16.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace stagelens::backend {

/// Returns the precision of numbers of type T.
template <class T>
[[nodiscard]] constexpr base::Precision precisionOf()
{
    if constexpr (std::is_same_v<T, kernels::Bf16>)
        return base::Precision::Bf16;
    else if constexpr (std::is_same_v<T, kernels::Fp16>)
        return base::Precision::Fp16;
    else
        return base::Precision::Fp32;
}

/// A pointer to numbers with their precision; offsets count numbers. Converts from a pointer to float, which is always fp32.
template <bool IsConst>
class BasicValues {
    template <class T>
    using Pointer = std::conditional_t<IsConst, const T, T> *;

public:
    BasicValues() = default; ///< null
    BasicValues(Pointer<float> floats) : m_address(floats) {}
    BasicValues(Pointer<void> address, base::Precision precision) : m_address(address), m_precision(precision) {}
    template <bool Other>
    BasicValues(const BasicValues<Other> &other) requires(IsConst && !Other) : BasicValues(other.address(), other.precision())
    {}

    [[nodiscard]] base::Precision precision() const { return m_precision; }
    [[nodiscard]] Pointer<void> address() const { return m_address; }
    [[nodiscard]] explicit operator bool() const { return m_address != nullptr; }
    /// Returns the pointer as T, float, kernels::Bf16 or kernels::Fp16. Throws std::logic_error if the precision differs.
    template <class T>
    [[nodiscard]] Pointer<T> as() const
    {
        constexpr auto kPrecision = precisionOf<T>();
        static_assert(base::elementBytes(kPrecision) == sizeof(T));
        if (m_address != nullptr && m_precision != kPrecision)
            throw std::logic_error("values of one precision are read as those of another");
        return static_cast<Pointer<T>>(m_address);
    }
    [[nodiscard]] Pointer<float> floats() const { return as<float>(); }

    friend BasicValues operator+(const BasicValues &values, std::int64_t numbers)
    {
        auto *const bytes = static_cast<Pointer<std::byte>>(values.m_address);
        return {bytes + numbers * base::elementBytes(values.m_precision), values.m_precision};
    }

private:
    Pointer<void> m_address = nullptr;
    base::Precision m_precision = base::Precision::Fp32;
};

using Values = BasicValues<false>;
using ConstValues = BasicValues<true>;

} // namespace stagelens::backend
