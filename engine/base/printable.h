// Escapes text from outside (files, databases, other processes, command lines) for a terminal or a label.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace stagelens::base {

/// Length of the UTF-8 sequence at the front of a text, or 0 if it is ill-formed (overlong, surrogate, beyond U+10FFFF, cut).
[[nodiscard]] std::size_t sequenceLength(std::string_view text);

/// Returns the text on one line: well-formed UTF-8 unchanged, but controls and ill-formed bytes as \n, \t or \x1b, and letters
/// that are invisible or change the order of others (bidirectional overrides) as \u{202e}. Backslashes stay, so that escaping
/// twice changes nothing. Cuts behind `mostLetters` with "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t mostLetters = std::string_view::npos);

/// Returns all problems, one a line.
[[nodiscard]] std::string printable(const Error &error);

/// Returns a JSON document with the same letters as \u202e, which a reader of JSON turns back; line ends stay.
[[nodiscard]] std::string printableJson(std::string_view document);

} // namespace stagelens::base
