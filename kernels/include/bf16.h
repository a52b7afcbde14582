// bfloat16: the upper half of a float.
#pragma once

#include <bit>
#include <cstdint>

namespace stagelens::kernels {

/// A number of 16 bits: sign, the eight bits of a float's exponent, seven of its fraction.
struct Bf16 {
    std::uint16_t bits;
};

constexpr float toFloat(float value)
{
    return value;
}
constexpr float toFloat(Bf16 value)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}

/// Rounds to the nearest bfloat16, ties to even. NaN stays NaN.
constexpr Bf16 toBf16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U)
        return {static_cast<std::uint16_t>((bits >> 16U) | 0x40U)};
    return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U)};
}

} // namespace stagelens::kernels
