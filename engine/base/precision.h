// The number formats that the engine computes in.
#pragma once

#include <cstdint>
#include <string_view>

namespace stagelens::base {

/// Of weights as kernels read them, activations and messages. Statistics, gradients of parameters, master weights and the
/// optimizer's state are float in each.
enum class Precision : unsigned char { Fp32, Bf16, Fp16 };

[[nodiscard]] constexpr std::string_view name(Precision precision)
{
    switch (precision) {
    case Precision::Bf16: return "bf16";
    case Precision::Fp16: return "fp16";
    case Precision::Fp32: break;
    }
    return "fp32";
}
[[nodiscard]] constexpr std::int64_t elementBytes(Precision precision)
{
    return precision == Precision::Fp32 ? 4 : 2;
}

/// Returns the relative root mean square error of a normal number that is rounded to the precision. Measured
/// for 16 bits in tests/unit/kernels/rounding.cpp.
[[nodiscard]] constexpr double roundingError(Precision precision)
{
    switch (precision) {
    case Precision::Bf16: return 1.66e-3;
    case Precision::Fp16: return 2.1e-4;
    case Precision::Fp32: break;
    }
    return 2.5e-8;
}

// Memory is counted in floats, of 4 bytes. Where a slab holds tensors of 16 bits, every array in it is filled up to a multiple
// of 16 bytes, so that the next one is aligned for kernels that read 16 bytes at once.

/// Returns the memory of an array of that many floats.
[[nodiscard]] constexpr std::int64_t filledFloats(std::int64_t floats, Precision precision)
{
    return precision == Precision::Fp32 ? floats : (floats + 3) / 4 * 4;
}
/// Returns the memory of a tensor of that many numbers in that precision.
[[nodiscard]] constexpr std::int64_t floatsOf(std::int64_t numbers, Precision precision)
{
    return precision == Precision::Fp32 ? numbers : filledFloats((numbers + 1) / 2, precision);
}

} // namespace stagelens::base
