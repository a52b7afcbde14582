// Settings from environment variables.
#pragma once

#include <chrono>

namespace stagelens::base {

/// Returns the seconds that an environment variable gives; `fallback` if it is unset, no number, not positive, or not less than
/// a day.
[[nodiscard]] std::chrono::milliseconds secondsFromEnvironment(const char *variable, double fallback);

} // namespace stagelens::base
