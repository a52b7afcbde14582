// Whole numbers as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stagelens::base {

/// A whole number as a person types it: digits, in groups of three by commas or not, then k, M, G or B, T (powers of 1,000),
/// Ki, Mi, Gi, Ti (powers of 1,024) or an exponent, in either case. "32k" is 32,000, "1.5Ki" 1,536, "2T" and "2e12" are the
/// same. Nothing if the value is not whole or overflows.
[[nodiscard]] std::optional<std::int64_t> parseCount(std::string_view text);
/// A number as a person types it: what parseCount() reads, or with a fraction, as "0.1", "1.0001k" or "1.5e-3".
[[nodiscard]] std::optional<double> parseQuantity(std::string_view text);
/// The digits of a number in groups of three: "262,144". parseCount() reads it.
[[nodiscard]] std::string countText(std::int64_t count);

} // namespace stagelens::base
