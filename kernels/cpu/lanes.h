// Sums and exp over eight floats at a time, shared by the CPU kernels. Sums over many values have kLanes interleaved parts that
// are combined in a fixed order, so their bits do not depend on the instruction set.
#pragma once

#include "kernels/cpu/dispatch.h"

#include <bit>
#include <cstdint>
#include <limits>

namespace stagelens::kernels {

inline constexpr std::int64_t kLanes = 32;

STAGELENS_INLINE float sumOfTwo(float a, float b)
{
    return a + b;
}
STAGELENS_INLINE float greaterOfTwo(float a, float b)
{
    return b > a ? b : a;
}

/// Reduces kLanes values to one, by repeatedly combining the upper half with the lower half.
template <auto Combine, std::int64_t Half = kLanes / 2>
STAGELENS_INLINE float folded(float *lanes)
{
    for (std::int64_t i = 0; i < Half; ++i)
        lanes[i] = Combine(lanes[i], lanes[i + Half]);
    if constexpr (Half > 1)
        return folded<Combine, Half / 2>(lanes);
    else
        return lanes[0];
}

/// A sum in kLanes parts. The compiler vectorises the loops over lanes.
struct LaneSum {
    float lanes[kLanes] = {};
    [[nodiscard]] STAGELENS_INLINE float total() { return folded<sumOfTwo>(lanes); }
};

/// Returns the greatest value, or -infinity if there is none.
STAGELENS_INLINE float maximumOf(const float *values, std::int64_t count)
{
    float lanes[kLanes];
    for (float &lane : lanes)
        lane = -std::numeric_limits<float>::infinity();
    const std::int64_t whole = count - count % kLanes;
    for (std::int64_t i = 0; i < whole; i += kLanes)
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            lanes[lane] = greaterOfTwo(lanes[lane], values[i + lane]);
    for (std::int64_t i = whole; i < count; ++i)
        lanes[i - whole] = greaterOfTwo(lanes[i - whole], values[i]);
    return folded<greaterOfTwo>(lanes);
}

/// Below this exp returns 0, slightly before the result would be denormal.
inline constexpr float kExpLowest = -87.33654F;
inline constexpr float kExpHighest = 88.72283F;

/// e^x = 2^n p by x = n ln 2 + r with |r| <= ln 2 / 2 and a polynomial in r (the coefficients are those of Cephes' expf).
struct ExpParts {
    float p;
    std::int32_t n;
};
STAGELENS_INLINE ExpParts expParts(float x)
{
    constexpr float kRound = 12582912.0F; // 1.5 * 2^23: adding it rounds to an integer in the low bits
    const float shifted = x * 1.44269504088896341F + kRound;
    const float n = shifted - kRound;
    const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * (r * r) + r + 1.0F;
    return {p, std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRound)};
}
STAGELENS_INLINE float powerOfTwo(std::int32_t n)
{
    return std::bit_cast<float>((n + 127) << 23);
}

/// e^x; 0 below kExpLowest, infinity above kExpHighest, NaN of NaN.
STAGELENS_INLINE float expOf(float x)
{
    const float low = x < kExpLowest ? kExpLowest : x;
    const auto [p, n] = expParts(low > kExpHighest ? kExpHighest : low);
    // 2^n in two factors, because 2^128 is not a float.
    const float result = p * powerOfTwo(n >> 1) * powerOfTwo(n - (n >> 1));
    const float upper = x > kExpHighest ? std::numeric_limits<float>::infinity() : result;
    const float both = x < kExpLowest ? 0.0F : upper;
    return x == x ? both : x; // NaN stays NaN
}

/// The same bits for x <= 88 and NaN, with less work; sufficient for a softmax.
STAGELENS_INLINE float expBelow(float x)
{
    const auto [p, n] = expParts(kExpLowest > x ? kExpLowest : x);
    return kExpLowest > x ? 0.0F : p * powerOfTwo(n);
}

/// 1 / (1 + e^-x).
STAGELENS_INLINE float sigmoidOf(float x)
{
    constexpr float kFar = 87.0F; // beyond it e^-x is negligible against 1, or 1 against e^-x
    const float low = -kFar > x ? -kFar : x;
    const auto [p, n] = expParts(-(kFar < low ? kFar : low));
    return 1.0F / (1.0F + p * powerOfTwo(n));
}

} // namespace stagelens::kernels
