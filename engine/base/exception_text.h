// What an exception says to a person.
#pragma once

#include <exception>
#include <string>

namespace stagelens::base {

/// The cause with its remedy if the machine ran out of memory or threads, else the exception's own text.
[[nodiscard]] std::string exceptionText(const std::exception &exception);
/// Whether the machine ran out of memory or threads, so that the program is not at fault.
[[nodiscard]] bool isLackOfResources(const std::exception &exception);

} // namespace stagelens::base
