// The factors of tiles of numbers that are rounded to eight bits.
#pragma once

#include "kernels/cuda/gpu.h"

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>

namespace stagelens::kernels::gpu {

/// Returns the magnitude as bits, whose order is that of the magnitudes; 0 if it is not finite.
STAGELENS_DEVICE std::int32_t finiteMagnitude(float value)
{
    const std::int32_t bits = std::bit_cast<std::int32_t>(value) & 0x7fffffff;
    return bits < 0x7f800000 ? bits : 0;
}
/// Returns the factor of a tile with that greatest magnitude.
template <class Format>
STAGELENS_DEVICE float factorOfGreatest(std::int32_t greatest)
{
    return std::fmax(std::bit_cast<float>(greatest) / Format::kLargest, FLT_MIN);
}

} // namespace stagelens::kernels::gpu
