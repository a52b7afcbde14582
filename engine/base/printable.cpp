#include "engine/base/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace stagelens::base {
namespace {

/// First and last of the letters that a terminal obeys or that are invisible: C0, C1, marks and overrides of direction,
/// separators of lines, joiners of words, tags. The joiners U+200C and U+200D stay, for scripts and emoji need them.
constexpr std::array<std::pair<char32_t, char32_t>, 12> kHidden{{{0x00, 0x1f},
                                                                 {0x7f, 0x9f},
                                                                 {0x061c, 0x061c},
                                                                 {0x180e, 0x180e},
                                                                 {0x200b, 0x200b},
                                                                 {0x200e, 0x200f},
                                                                 {0x2028, 0x202e},
                                                                 {0x2060, 0x206f},
                                                                 {0xfeff, 0xfeff},
                                                                 {0xfff9, 0xfffb},
                                                                 {0x1d173, 0x1d17a},
                                                                 {0xe0000, 0xe007f}}};

/// A path and the longest message of ours; what is longer comes from a hostile name.
constexpr std::size_t kLongestProblem = 6000;

bool isHidden(char32_t letter)
{
    return std::ranges::any_of(kHidden,
                               [letter](const auto &range) { return letter >= range.first && letter <= range.second; });
}

/// The code point of a well-formed sequence.
char32_t decoded(std::string_view sequence)
{
    const auto lead = static_cast<unsigned char>(sequence.front());
    if (sequence.size() == 1)
        return lead;
    char32_t letter = lead & (0x7fU >> sequence.size());
    for (const char byte : sequence.substr(1))
        letter = letter << 6U | (static_cast<unsigned char>(byte) & 0x3fU);
    return letter;
}

std::string formatted(const char *format, unsigned value)
{
    std::array<char, 16> buffer{};
    std::snprintf(buffer.data(), buffer.size(), format, value);
    return buffer.data();
}

std::string escaped(char32_t letter)
{
    switch (letter) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return formatted(letter < 0x100 ? "\\x%02x" : "\\u{%x}", letter);
    }
}

std::string escapedJson(char32_t letter)
{
    if (letter < 0x10000)
        return formatted("\\u%04x", letter);
    return formatted("\\u%04x", 0xd7c0U + (letter >> 10U)) + formatted("\\u%04x", 0xdc00U + (letter & 0x3ffU));
}

} // namespace

std::size_t sequenceLength(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80)
        return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length)
        return 0;
    const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte(1) < low || byte(1) > high)
        return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80)
            return 0;
    }
    return length;
}

std::string printable(std::string_view text, std::size_t mostLetters)
{
    std::string shown;
    for (std::size_t letters = 0; !text.empty(); ++letters) {
        if (letters == mostLetters)
            return shown + "...";
        const std::size_t length = sequenceLength(text);
        const std::string_view sequence = text.substr(0, std::max<std::size_t>(1, length));
        const char32_t letter = length == 0 ? static_cast<unsigned char>(text.front()) : decoded(sequence);
        if (length == 0 || isHidden(letter))
            shown += escaped(letter);
        else
            shown += sequence;
        text.remove_prefix(sequence.size());
    }
    return shown;
}

std::string printable(const Error &error)
{
    std::string lines;
    for (const Problem &problem : error.problems)
        lines += (lines.empty() ? "" : "\n") + printable(Error{error.kind, {problem}}.text(), kLongestProblem);
    return lines;
}

std::string printableJson(std::string_view document)
{
    std::string shown;
    shown.reserve(document.size());
    while (!document.empty()) {
        const std::string_view sequence = document.substr(0, std::max<std::size_t>(1, sequenceLength(document)));
        const char32_t letter = decoded(sequence);
        if (letter != '\n' && isHidden(letter))
            shown += escapedJson(letter);
        else
            shown += sequence;
        document.remove_prefix(sequence.size());
    }
    return shown;
}

} // namespace stagelens::base
