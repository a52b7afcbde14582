// Types of quantities, with their units.
#pragma once

#include <cstdint>

namespace stagelens::base {

using Nanos = std::int64_t; ///< time or duration in nanoseconds
using Bytes = std::int64_t; ///< memory or message size

inline constexpr Nanos kNanosPerMicro = 1'000;
inline constexpr Nanos kNanosPerMilli = 1'000'000;
inline constexpr Nanos kNanosPerSecond = 1'000'000'000;
/// No duration, file row or sum may exceed this (about 11.5 days); it keeps sums of passes far from overflow.
inline constexpr Nanos kLongestPass = 1'000'000 * kNanosPerSecond;

} // namespace stagelens::base
