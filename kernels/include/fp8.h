// Numbers of eight bits: e4m3 and e5m2 (Micikevicius et al., arXiv 2209.05433, table 1).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace stagelens::kernels {

/// Sign, four bits of exponent, three of its fraction. The largest is 448, the smallest normal 2^-6, the smallest subnormal
/// 2^-9. No infinity; NaN has all bits set.
struct E4m3 {
    static constexpr unsigned kFraction = 3;
    static constexpr unsigned kBias = 7;
    static constexpr float kLargest = 448;
    static constexpr std::uint32_t kInfinity = 0x7f; ///< NaN in its place
    static constexpr std::uint32_t kNan = 0x7f;
    std::uint8_t bits;
};

/// Sign, five bits of exponent, two of its fraction: the upper half of a binary16. The largest is 57344, the smallest normal
/// 2^-14, the smallest subnormal 2^-16.
struct E5m2 {
    static constexpr unsigned kFraction = 2;
    static constexpr unsigned kBias = 15;
    static constexpr float kLargest = 57344;
    static constexpr std::uint32_t kInfinity = 0x7c;
    static constexpr std::uint32_t kNan = 0x7e;
    std::uint8_t bits;
};

// Without branches, so that loops over them become vector instructions.

/// Rounds to nearest, ties to even. Finite numbers beyond the largest become the largest.
template <class Format>
constexpr Format toFp8(float value)
{
    constexpr unsigned kDropped = 23 - Format::kFraction;
    constexpr std::uint32_t kFloatInfinity = 0x7f800000U;
    constexpr std::uint32_t kLeast = (127U - Format::kBias + 1U) << 23U; // the smallest normal
    constexpr std::uint32_t kMagic = (127U - Format::kBias + kDropped + 1U) << 23U;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t all = bits & 0x7fffffffU;
    const std::uint32_t magnitude = std::min(all, std::bit_cast<std::uint32_t>(Format::kLargest));
    // The addition shifts the fraction to its place and rounds it.
    const std::uint32_t small =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude < kLeast ? magnitude : 0U) + std::bit_cast<float>(kMagic)) -
        kMagic;
    const std::uint32_t normal =
        (magnitude - ((127U - Format::kBias) << 23U) + ((1U << (kDropped - 1)) - 1U) + ((magnitude >> kDropped) & 1U)) >>
        kDropped;
    const std::uint32_t finite = magnitude < kLeast ? small : normal;
    const std::uint32_t code = all < kFloatInfinity ? finite : all == kFloatInfinity ? Format::kInfinity : Format::kNan;
    return {static_cast<std::uint8_t>(code | (bits >> 24U & 0x80U))};
}

/// Returns the number; exact.
template <class Format>
constexpr float fromFp8(Format value)
{
    constexpr unsigned kShift = 23 - Format::kFraction;
    constexpr std::uint32_t kRebias = (127U - Format::kBias) << 23U;
    constexpr std::uint32_t kLeast = (127U - Format::kBias + 1U) << 23U;
    const std::uint32_t code = value.bits & 0x7fU;
    const std::uint32_t shifted = code << kShift;
    const auto subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(shifted + kLeast) - std::bit_cast<float>(kLeast));
    const std::uint32_t finite = code < 1U << Format::kFraction ? subnormal : shifted + kRebias;
    const std::uint32_t special = code == Format::kInfinity && Format::kInfinity != Format::kNan ? 0x7f800000U : 0x7fc00000U;
    const std::uint32_t magnitude = code < Format::kInfinity ? finite : special;
    return std::bit_cast<float>(magnitude | (value.bits & 0x80U) << 24U);
}

/// Returns the least power of two that is not less than a positive number, which is normal.
constexpr float powerAbove(float value)
{
    constexpr std::uint32_t kFraction = 0x7fffffU;
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + kFraction) & ~kFraction);
}

} // namespace stagelens::kernels
