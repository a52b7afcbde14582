#include "engine/base/count.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stagelens::base {
namespace {

/// The factor of an exponent such as "e12", which is removed from the text; 1 where there is none.
std::int64_t takeExponent(std::string_view &text)
{
    constexpr std::int64_t kMostExponent = 18;
    const std::size_t letter = text.find_first_of("eE");
    if (letter == std::string_view::npos)
        return 1;
    std::string_view digits = text.substr(letter + 1);
    if (digits.starts_with('+'))
        digits.remove_prefix(1);
    const auto exponent = parseInteger(digits);
    if (!exponent || *exponent < 0 || *exponent > kMostExponent)
        return 1; // the letter stays, and makes the text no number
    text = text.substr(0, letter);
    std::int64_t factor = 1;
    for (std::int64_t i = 0; i < *exponent; ++i)
        factor *= 10;
    return factor;
}

/// The factor of a suffix such as "k", "Ki" or "e3", which is removed from the text; 1 where there is none.
std::int64_t takeFactor(std::string_view &text)
{
    constexpr std::string_view kLetters = "kmgt"; // the n-th is the n-th power
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    const bool isBinary = text.size() > 1 && lower(text.back()) == 'i';
    const std::string_view word = isBinary ? text.substr(0, text.size() - 1) : text;
    const char letter = word.empty() ? '\0' : lower(word.back());
    const std::size_t power = kLetters.find(letter == 'b' && !isBinary ? 'g' : letter); // a billion
    if (power == std::string_view::npos)
        return takeExponent(text);
    text = word.substr(0, word.size() - 1);
    std::int64_t factor = 1;
    for (std::size_t i = 0; i <= power; ++i)
        factor *= isBinary ? 1024 : 1000;
    return factor;
}

/// The digits without the commas between groups of three; nothing if a comma is anywhere else.
std::optional<std::string> ungrouped(std::string_view digits)
{
    const std::vector<std::string_view> groups = split(digits, ',');
    std::string all(groups.front());
    if (groups.size() > 1 && (all.empty() || all.size() > 3))
        return std::nullopt;
    for (std::size_t i = 1; i < groups.size(); ++i) {
        if (groups[i].size() != 3)
            return std::nullopt;
        all += groups[i];
    }
    return all;
}

} // namespace

std::optional<std::int64_t> parseCount(std::string_view text)
{
    constexpr std::size_t kMostFractionDigits = 9;
    text = trim(text);
    const bool isNegative = text.starts_with('-');
    if (isNegative)
        text.remove_prefix(1);
    const std::int64_t factor = takeFactor(text);
    const std::size_t point = std::min(text.find('.'), text.size());
    std::string_view fraction = text.substr(std::min(point + 1, text.size()));
    const auto isDigits = [](std::string_view digits) {
        return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    };
    const auto digits = ungrouped(text.substr(0, point));
    if (!digits || !isDigits(*digits) || (point < text.size() && !isDigits(fraction)))
        return std::nullopt;
    while (fraction.ends_with('0'))
        fraction.remove_suffix(1);
    const auto whole = parseInteger(*digits);
    const auto part = fraction.empty() ? std::optional<std::int64_t>(0) : parseInteger(fraction);
    if (!whole || !part || fraction.size() > kMostFractionDigits)
        return std::nullopt;
    std::int64_t parts = 1; // that a unit of the fraction's last digit divides one into
    for (std::size_t i = 0; i < fraction.size(); ++i)
        parts *= 10;
    const std::int64_t common = std::gcd(factor, parts); // so that part * factor cannot overflow
    const std::int64_t rest = *part * (factor / common);
    const std::int64_t least = parts / common;
    if (rest % least != 0 || *whole > (std::numeric_limits<std::int64_t>::max() - rest / least) / factor)
        return std::nullopt;
    const std::int64_t value = *whole * factor + rest / least;
    return isNegative ? -value : value;
}

std::optional<double> parseQuantity(std::string_view text)
{
    text = trim(text);
    if (const auto count = parseCount(text))
        return static_cast<double>(*count);
    if (const auto number = parseNumber(text))
        return number;
    const auto factor = static_cast<double>(takeFactor(text));
    const auto number = parseNumber(text);
    return number && factor > 1 && std::isfinite(*number * factor) ? std::optional(*number * factor) : std::nullopt;
}

std::string countText(std::int64_t count)
{
    std::string text = std::to_string(count);
    const std::size_t first = count < 0 ? 1 : 0;
    for (std::size_t at = text.size(); at > first + 3;)
        text.insert(at -= 3, 1, ',');
    return text;
}

} // namespace stagelens::base
