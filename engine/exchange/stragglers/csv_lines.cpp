#include "engine/exchange/stragglers/csv_lines.h"

#include "engine/base/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::exchange {
namespace {

constexpr std::size_t kLineBlock = std::size_t{1} << 16;
constexpr std::size_t kLongestLine = std::size_t{1} << 16;

} // namespace

base::Result<bool> CsvLines::next(std::string_view &line)
{
    std::size_t end = m_buffer.find('\n', m_begin);
    while (end == std::string::npos && !m_isAtEnd) {
        m_buffer.erase(0, m_begin);
        m_begin = 0;
        const std::size_t kept = m_buffer.size();
        if (kept > kLongestLine)
            return base::Error::invalid(m_input.name, fmt::format("line {} is longer than {} bytes; give a CSV file with one "
                                                                  "operation per line",
                                                                  m_number + 1, kLongestLine));
        m_buffer.resize(kept + kLineBlock);
        const auto count = m_input.read(std::span(m_buffer).subspan(kept));
        if (!count)
            return count.error();
        m_buffer.resize(kept + *count);
        m_isAtEnd = *count == 0;
        end = m_buffer.find('\n', kept);
    }
    if (end == std::string::npos && m_begin == m_buffer.size())
        return false;
    const std::size_t last = std::min(end, m_buffer.size());
    line = std::string_view(m_buffer).substr(m_begin, last - m_begin);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    m_begin = std::min(last + 1, m_buffer.size());
    ++m_number;
    return true;
}

std::vector<std::string_view> csvCells(std::string_view line)
{
    std::vector<std::string_view> cells;
    std::size_t begin = 0;
    bool isQuoted = false;
    for (std::size_t at = 0; at <= line.size(); ++at) {
        if (at < line.size() && line[at] == '"')
            isQuoted = !isQuoted;
        if (at < line.size() && (line[at] != ',' || isQuoted))
            continue;
        std::string_view cell = base::trim(line.substr(begin, at - begin));
        if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
            cell = cell.substr(1, cell.size() - 2);
        cells.push_back(cell);
        begin = at + 1;
    }
    return cells;
}

} // namespace stagelens::exchange
