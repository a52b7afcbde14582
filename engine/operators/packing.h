// Numbers that are packed into fewer bits between two uses.
#pragma once

#include "engine/model/experiment.h"
#include "kernels/include/codec.h"

#include <cstdint>
#include <optional>

namespace stagelens::operators {

/// Returns the format of activations or gradients; nothing if they keep their bits.
[[nodiscard]] constexpr std::optional<kernels::Codec> codecOf(model::PackedPrecision precision, bool isGradient)
{
    switch (precision) {
    case model::PackedPrecision::Bf16: return kernels::Codec::Bf16;
    case model::PackedPrecision::Fp8: return isGradient ? kernels::Codec::E5m2 : kernels::Codec::E4m3;
    case model::PackedPrecision::Int8: return kernels::Codec::Int8;
    case model::PackedPrecision::Same: break;
    }
    return std::nullopt;
}

/// Returns the format of rows on their way to experts: e4m3 whose factors are powers of two, as products in 8 bits read them
/// (DeepSeek-V3, arXiv 2412.19437, section 3.3); nothing if they keep their bits.
[[nodiscard]] constexpr std::optional<kernels::Codec> codecOf(model::DispatchPrecision precision)
{
    if (precision == model::DispatchPrecision::Fp8)
        return kernels::Codec::E4m3ByPowers;
    return std::nullopt;
}

/// Returns the floats of packed rows, which are the same for activations and gradients; 0 if they keep their bits.
[[nodiscard]] constexpr std::int64_t packedFloats(model::PackedPrecision precision, std::int64_t rows, std::int64_t columns)
{
    const auto codec = codecOf(precision, false);
    return codec ? kernels::packedFloats(*codec, rows, columns) : 0;
}

} // namespace stagelens::operators
