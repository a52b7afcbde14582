// Words for a POSIX shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stagelens::base {

/// Returns the word as a POSIX shell reads it: unchanged if it consists of letters, digits and `_@%+=:,./-`, else in single
/// quotes. The only function that quotes; a word is quoted once for each shell that reads it.
[[nodiscard]] std::string shellWord(std::string_view word);
/// Returns the words, each quoted, with a blank between two.
[[nodiscard]] std::string shellLine(const std::vector<std::string> &words);

} // namespace stagelens::base
