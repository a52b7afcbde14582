#include "app/cli/table.h"

#include "engine/base/printable.h"
#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fmt/format.h>

namespace stagelens::cli {

namespace {

/// Characters of UTF-8 text, not bytes.
std::size_t width(const std::string &text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

bool looksNumeric(const std::string &cell)
{
    return cell.empty() || cell == "-" || (cell.front() >= '0' && cell.front() <= '9') || cell.front() == '+' ||
           (cell.front() == '-' && cell.size() > 1 && cell[1] != '-'); // no option
}

/// Letters of a cell that others stand beside, and of the last one of a row.
constexpr std::size_t kWidestInner = 80;
constexpr std::size_t kWidestLast = 240;

} // namespace

void Table::add(std::vector<std::string> row)
{
    for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = base::printable(row[i], i + 1 < row.size() ? kWidestInner : kWidestLast);
    m_rows.push_back(std::move(row));
}

void Table::print(std::ostream &out) const
{
    const std::size_t columns = m_rows.front().size();
    std::vector<std::size_t> widths(columns, 0);
    std::vector<bool> numeric(columns, true);
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            widths[column] = std::max(widths[column], width(m_rows[row][column]));
            if (row > 0 && !looksNumeric(m_rows[row][column]))
                numeric[column] = false;
        }
    }
    const bool headless =
        std::all_of(m_rows.front().begin(), m_rows.front().end(), [](const auto &cell) { return cell.empty(); });
    for (std::size_t row = headless ? 1 : 0; row < m_rows.size(); ++row) {
        std::string line;
        for (std::size_t column = 0; column < columns; ++column) {
            const std::string &cell = m_rows[row][column];
            const std::string padding(widths[column] - width(cell), ' ');
            line += (column > 0 ? "  " : "") + (numeric[column] ? padding + cell : cell + padding);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
}

std::string timeText(base::Nanos time)
{
    const auto value = static_cast<double>(time);
    const double size = std::abs(value);
    if (size < 1e6)
        return base::fixedText(value / 1e3, 1) + " us";
    if (size < 1e10)
        return base::fixedText(value / 1e6, 3) + " ms";
    return base::fixedText(value / 1e9, 3) + " s";
}

std::string nanosText(double nanos)
{
    return timeText(static_cast<base::Nanos>(nanos));
}

std::string percentText(double share)
{
    return base::fixedText(share * 100, 1) + " %";
}

std::string gapText(base::Nanos time, base::Nanos bound)
{
    return bound > 0 ? percentText(static_cast<double>(time - bound) / static_cast<double>(bound)) : "-";
}

std::string clockText(double seconds)
{
    const auto whole = static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 1e9)));
    const auto twoDigits = [](std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
    if (whole < 3600)
        return fmt::format("{}:{}", whole / 60, twoDigits(whole % 60));
    return fmt::format("{}:{}:{}", whole / 3600, twoDigits(whole / 60 % 60), twoDigits(whole % 60));
}

std::string momentText(std::int64_t unixMilliseconds)
{
    const auto moment = static_cast<std::time_t>(unixMilliseconds / 1000);
    std::tm local{};
    std::array<char, 32> text{};
    if (localtime_r(&moment, &local) == nullptr || std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &local) == 0)
        return "-";
    return text.data();
}

std::string countText(double value)
{
    constexpr std::array<const char *, 7> kSuffixes = {"", " k", " M", " G", " T", " P", " E"};
    std::size_t suffix = 0;
    while (std::abs(value) >= 1000 && suffix + 1 < kSuffixes.size()) {
        value /= 1000;
        ++suffix;
    }
    return base::fixedText(value, suffix == 0 ? 0 : 2) + kSuffixes[suffix];
}

} // namespace stagelens::cli
