// Whole numbers as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stagelens::base {

/// A whole number as a person types it: digits, in groups of three by commas or not, then k, M or G (powers of 1,000) or Ki, Mi
/// or Gi (powers of 1,024), in either case. "32k" is 32,000, "1.5Ki" 1,536. Nothing if the value is not whole or overflows.
[[nodiscard]] std::optional<std::int64_t> parseCount(std::string_view text);
/// The digits of a number in groups of three: "262,144". parseCount() reads it.
[[nodiscard]] std::string countText(std::int64_t count);

} // namespace stagelens::base
