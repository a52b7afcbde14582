// Numbers of eight bits: integers.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace stagelens::kernels {

/// Codes of -127 to 127; -128 is a number that was not finite.
struct Int8 {
    static constexpr float kLargest = 127;
    static constexpr std::uint8_t kNotFinite = 0x80;
    std::uint8_t bits;
};

// Without branches, so that loops over them become vector instructions.

/// Rounds to nearest, ties to even. Finite numbers beyond the largest become the largest.
constexpr Int8 toInt8(float value)
{
    constexpr float kRounder = 12582912; // 1.5 * 2^23: the addition rounds to an integer, ties to even
    const bool isFinite = (std::bit_cast<std::uint32_t>(value) & 0x7f800000U) != 0x7f800000U;
    // Not std::min() and std::max(): they take the address of kLargest, which a GPU has not.
    const float kept = isFinite ? value : 0.0F;
    const float above = kept < -Int8::kLargest ? -Int8::kLargest : kept;
    const float within = above > Int8::kLargest ? Int8::kLargest : above;
    const auto code = static_cast<std::int32_t>((within + kRounder) - kRounder);
    return {static_cast<std::uint8_t>(isFinite ? static_cast<std::uint32_t>(code) : Int8::kNotFinite)};
}

/// Returns the number, exact; NaN for one that was not finite.
constexpr float fromInt8(Int8 code)
{
    return code.bits == Int8::kNotFinite ? std::numeric_limits<float>::quiet_NaN()
                                         : static_cast<float>(static_cast<std::int8_t>(code.bits));
}

} // namespace stagelens::kernels
