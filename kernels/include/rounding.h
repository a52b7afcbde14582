// Arrays of floats as numbers of 16 bits, and back.
#pragma once

#include "kernels/include/bf16.h"
#include "kernels/include/fp16.h"

#include <cstdint>

namespace stagelens::kernels {

/// to = from, rounded to nearest, ties to even.
void convert(Bf16 *to, const float *from, std::int64_t count);
void convert(Fp16 *to, const float *from, std::int64_t count);
/// to = from, exact.
void convert(float *to, const Bf16 *from, std::int64_t count);
void convert(float *to, const Fp16 *from, std::int64_t count);

/// Returns a float rounded to T.
template <class T>
[[nodiscard]] constexpr T rounded(float value)
{
    if constexpr (sizeof(T) == sizeof(float))
        return value;
    else if constexpr (requires { T{toBf16(value)}; })
        return toBf16(value);
    else
        return toFp16(value);
}

} // namespace stagelens::kernels
