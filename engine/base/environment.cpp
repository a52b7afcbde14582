#include "engine/base/environment.h"

#include "engine/base/text.h"

#include <cstdlib>

namespace stagelens::base {

std::chrono::milliseconds secondsFromEnvironment(const char *variable, double fallback)
{
    constexpr double kDay = 86400;
    const char *text = std::getenv(variable); // NOLINT(concurrency-mt-unsafe): nothing sets it
    const double given = text == nullptr ? fallback : parseNumber(text).value_or(fallback);
    return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * (given > 0 && given < kDay ? given : fallback)));
}

} // namespace stagelens::base
