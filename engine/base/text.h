// Parts of texts, beside what fmt formats.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stagelens::base {

/// A value of any type as text; numbers with a fraction have up to six digits.
template <class Value>
[[nodiscard]] std::string valueText(const Value &value)
{
    if constexpr (std::is_floating_point_v<Value>)
        return fmt::format("{:g}", value);
    else
        return fmt::format("{}", value);
}

/// "12.3 GiB" and the like, three significant digits.
[[nodiscard]] std::string bytesText(std::int64_t bytes);
/// A fixed number of digits after the point.
[[nodiscard]] std::string fixedText(double value, int digits);
/// The parts between separators, empty ones kept.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
/// Without spaces, tabs, CR and LF at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);
/// The whole text as a number, or nothing (no trailing garbage, no overflow, no NaN or infinity).
[[nodiscard]] std::optional<std::int64_t> parseInteger(std::string_view text);
[[nodiscard]] std::optional<double> parseNumber(std::string_view text);
/// Whether the bytes are well-formed UTF-8.
[[nodiscard]] bool isUtf8(std::string_view text);
/// The candidate that a mistyped word most likely means, or empty: the shortest that begins with it, else the one of which few
/// letters differ, in either case.
[[nodiscard]] std::string closestWord(std::string_view word, const std::vector<std::string> &candidates);
/// A word of a hostile file for a message, in quotes: printable(), at most 40 letters.
[[nodiscard]] std::string quoted(std::string_view word);
/// The text behind a UTF-8 byte order mark, if it has one.
[[nodiscard]] std::string_view withoutByteOrderMark(std::string_view text);
/// Words joined by a separator.
[[nodiscard]] std::string join(const std::vector<std::string> &words, std::string_view separator);

} // namespace stagelens::base
