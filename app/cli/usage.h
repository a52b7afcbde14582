// Command lines that are not understood.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace stagelens::cli {

/// What is wrong with the command line, a line each: words that are no command and no option, with the one that was meant, else
/// what `error` says.
[[nodiscard]] std::string usageProblems(const CLI::App &app, const CLI::ParseError &error);

/// Throws where an option ends in `=`, behind which the parser would take the next word for its value.
void refuseBareEquals(const std::vector<std::string> &words);

// Checks of an option's text, which name what would be right.

/// An empty text, as an unset variable of a script leaves it, is not taken for an option that was not given.
[[nodiscard]] CLI::Validator notEmpty();
/// One of the words.
[[nodiscard]] CLI::Validator oneOf(std::vector<std::string> words);
/// A whole number that an int holds, of at least that much, as parseCount() reads it: for Option::transform().
[[nodiscard]] CLI::Validator wholeNumberFrom(int least);

} // namespace stagelens::cli
