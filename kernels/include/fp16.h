// Half precision, IEEE 754 binary16.
#pragma once

#include <bit>
#include <cstdint>

namespace stagelens::kernels {

/// A number of 16 bits: sign, five bits of exponent, ten of its fraction. The largest is 65504, the smallest normal 2^-14, the
/// smallest subnormal 2^-24.
struct Fp16 {
    std::uint16_t bits;
};

// Without branches, so that loops over them become vector instructions.

constexpr float toFloat(Fp16 value)
{
    constexpr std::uint32_t kRebias = (127U - 15U) << 23U;
    constexpr std::uint32_t kLeast = 113U << 23U; // 2^-14
    constexpr std::uint32_t kExponent = 0x1fU << 23U;
    const std::uint32_t shifted = (value.bits & 0x7fffU) << 13U;
    const std::uint32_t exponent = shifted & kExponent;
    const std::uint32_t normal = shifted + kRebias;
    const std::uint32_t special = normal + kRebias; // infinity and NaN
    const auto subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(shifted + kLeast) - std::bit_cast<float>(kLeast));
    const std::uint32_t magnitude = exponent == kExponent ? special : exponent == 0 ? subnormal : normal;
    return std::bit_cast<float>(magnitude | (value.bits & 0x8000U) << 16U);
}

/// Rounds to the nearest half, ties to even; from 65520 on to infinity. NaN stays NaN.
constexpr Fp16 toFp16(float value)
{
    constexpr std::uint32_t kInfinity = 0x7f800000U;
    constexpr std::uint32_t kTooLarge = (127U + 16U) << 23U; // 65536
    constexpr std::uint32_t kLeast = 113U << 23U;            // 2^-14
    constexpr std::uint32_t kMagic = (127U - 15U + 23U - 10U + 1U) << 23U;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    // The addition shifts the fraction to its place and rounds it.
    const std::uint32_t small =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude < kLeast ? magnitude : 0U) + std::bit_cast<float>(kMagic)) -
        kMagic;
    const std::uint32_t normal = (magnitude - ((127U - 15U) << 23U) + 0xfffU + ((magnitude >> 13U) & 1U)) >> 13U;
    const std::uint32_t special = magnitude > kInfinity ? 0x7e00U : 0x7c00U;
    const std::uint32_t half = magnitude >= kTooLarge ? special : magnitude < kLeast ? small : normal;
    return {static_cast<std::uint16_t>(half | (bits >> 16U & 0x8000U))};
}

} // namespace stagelens::kernels
