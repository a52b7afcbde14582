#include "engine/base/text.h"

#include "engine/base/printable.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <numeric>

namespace stagelens::base {
namespace {

std::string lowerCase(std::string_view word)
{
    std::string lower(word);
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return lower;
}

/// Levenshtein's distance; the words are short.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

} // namespace

std::string fixedText(double value, int digits)
{
    std::array<char, 400> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, value);
    return {buffer.data(), std::min(buffer.size() - 1, static_cast<std::size_t>(std::max(0, length)))};
}

std::string bytesText(std::int64_t bytes)
{
    constexpr std::array<const char *, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (std::abs(value) >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    const double size = std::abs(value);
    const int digits = unit == 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
    return fixedText(value, digits) + " " + kUnits[unit];
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    for (std::size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator, begin)) {
        parts.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    parts.push_back(text.substr(begin));
    return parts;
}

std::string_view trim(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::optional<std::int64_t> parseInteger(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

std::optional<double> parseNumber(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

bool isUtf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        if (length == 0)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string closestWord(std::string_view word, const std::vector<std::string> &candidates)
{
    constexpr std::size_t kLongest = 64; // bounds the time for a hostile word
    if (word.size() > kLongest)
        return {};
    const std::string wanted = lowerCase(word);
    std::string closest;
    std::size_t least = std::min(word.size(), std::max<std::size_t>(2, word.size() / 3) + 1);
    bool isBegun = false;
    for (const std::string &candidate : candidates) {
        const std::string known = lowerCase(candidate);
        const std::size_t distance = editDistance(wanted, known);
        // A word that was cut short means what it begins, however much is missing; one letter says too little.
        const bool begins = wanted.size() > 1 && known.starts_with(wanted);
        if (begins == isBegun ? distance < least : begins) {
            least = distance;
            closest = candidate;
            isBegun = begins;
        }
    }
    return closest;
}

std::string quoted(std::string_view word)
{
    constexpr std::size_t kMostShown = 40;
    return fmt::format("'{}'", printable(word, kMostShown));
}

std::string_view withoutByteOrderMark(std::string_view text)
{
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::string join(const std::vector<std::string> &words, std::string_view separator)
{
    std::string all;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0)
            all += separator;
        all += words[i];
    }
    return all;
}

} // namespace stagelens::base
