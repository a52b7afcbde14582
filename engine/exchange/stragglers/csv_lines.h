// The lines and cells of a CSV file that is read block by block.
#pragma once

#include "engine/base/result.h"
#include "engine/exchange/trace_import.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::exchange {

/// Reads a file line by line, without the ends of lines (LF or CRLF). Memory: a block and a line.
class CsvLines {
public:
    explicit CsvLines(const TraceInput &input) : m_input(input) {}
    /// Reads the next line into `line`, which is valid until the next call; false at the end. Fails with InvalidInput at a line
    /// longer than 64 KiB, and with the input's error.
    [[nodiscard]] base::Result<bool> next(std::string_view &line);
    /// Returns the number of the line that was read last, from 1.
    [[nodiscard]] std::size_t number() const { return m_number; }

private:
    const TraceInput &m_input;
    std::string m_buffer; ///< what was read and not returned; begins at m_begin
    std::size_t m_begin = 0;
    std::size_t m_number = 0;
    bool m_isAtEnd = false;
};

/// Returns the cells of a line without blanks around them. A cell in double quotes may contain commas.
[[nodiscard]] std::vector<std::string_view> csvCells(std::string_view line);

} // namespace stagelens::exchange
