// Plain text that lines up.
#pragma once

#include "engine/base/units.h"

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::cli {

/// Columns as wide as their widest cell; numbers are right-aligned, words left-aligned (decided by a column's cells).
class Table {
public:
    explicit Table(std::vector<std::string> header) : m_rows{std::move(header)} {}
    void add(std::vector<std::string> row);
    void print(std::ostream &out) const;

private:
    std::vector<std::vector<std::string>> m_rows; ///< the first is the header; empty cells: no header line
};

/// "12.345 ms", "1.234 s" or "12.3 us": four significant digits or more.
[[nodiscard]] std::string timeText(base::Nanos time);
/// The same of a mean or a difference.
[[nodiscard]] std::string nanosText(double nanos);
/// "12.3 %".
[[nodiscard]] std::string percentText(double share);
/// By how much a time is above a bound: "12.3 %"; "-" above nothing.
[[nodiscard]] std::string gapText(base::Nanos time, base::Nanos bound);
/// "1:02:03" or "4:05" from seconds.
[[nodiscard]] std::string clockText(double seconds);
/// A moment in local time, "2026-01-31 12:00".
[[nodiscard]] std::string momentText(std::int64_t unixMilliseconds);
/// A number for the eye: "1234567" as "1.235 M".
[[nodiscard]] std::string countText(double value);

} // namespace stagelens::cli
