// Log messages about the progress of long work.
#pragma once

#include "engine/base/log.h"

#include <chrono>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace stagelens::base {

/// Shortest time between two progress reports of a job.
inline constexpr std::chrono::milliseconds kProgressInterval{50};

/// Logs the share of a piece of work that is done: first after half a second, then once a second. Belongs to one thread.
class ProgressLog {
public:
    explicit ProgressLog(std::string what) : m_what(std::move(what)) {}
    void note(double share)
    {
        const auto now = Clock::now();
        if (now < m_due)
            return;
        m_due = now + std::chrono::seconds(1);
        log(LogLevel::Info, fmt::format("{}: {:.0f} %", m_what, 100 * share));
    }

private:
    using Clock = std::chrono::steady_clock;
    std::string m_what;
    Clock::time_point m_due = Clock::now() + std::chrono::milliseconds(500);
};

} // namespace stagelens::base
