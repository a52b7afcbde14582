// The message of an exception for the user.
#pragma once

#include <exception>
#include <string>

namespace stagelens::base {

/// The cause with its remedy if the machine ran out of memory or threads, else the exception's own text.
[[nodiscard]] std::string exceptionText(const std::exception &exception);
/// Returns whether the machine ran out of memory or threads, which is no bug.
[[nodiscard]] bool isLackOfResources(const std::exception &exception);

} // namespace stagelens::base
