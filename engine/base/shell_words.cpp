#include "engine/base/shell_words.h"

#include <algorithm>

namespace stagelens::base {
namespace {

bool isPlain(char letter)
{
    constexpr std::string_view kOthers = "_@%+=:,./-";
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           kOthers.find(letter) != std::string_view::npos;
}

} // namespace

std::string shellWord(std::string_view word)
{
    if (!word.empty() && std::ranges::all_of(word, isPlain))
        return std::string(word);
    std::string quoted = "'";
    for (const char letter : word) {
        if (letter == '\'')
            quoted += "'\\''"; // ends the quotes, a quote, and begins them again
        else
            quoted += letter;
    }
    return quoted + '\'';
}

std::string shellLine(const std::vector<std::string> &words)
{
    std::string line;
    for (const std::string &word : words)
        line += (line.empty() ? "" : " ") + shellWord(word);
    return line;
}

} // namespace stagelens::base
