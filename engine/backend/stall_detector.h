// Detects stalled runs. Internal to the ordered transport.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

namespace stagelens::backend {

/// Detects that a run makes no progress: no pass ends and no message completes. Thread-safe.
class StallDetector {
public:
    using Clock = std::chrono::steady_clock;

    StallDetector(std::function<std::int64_t()> progress, std::chrono::milliseconds stallTimeout)
        : m_progress(std::move(progress)), m_stallTimeout(stallTimeout)
    {}
    /// Records progress: a message of this process completed, or new messages were announced.
    void noteProgress();
    /// Returns the time since the last progress if it exceeds the limit, else 0. Called while a message is pending.
    [[nodiscard]] Clock::duration stalledFor();

private:
    void update(std::int64_t passes, Clock::time_point now);

    std::function<std::int64_t()> m_progress;
    Clock::duration m_stallTimeout;
    std::mutex m_mutex;
    std::int64_t m_passes = m_progress(); ///< as last seen
    bool m_isWarm = false;                ///< a pass has ended
    Clock::time_point m_changed = Clock::now();
    Clock::duration m_longest{0}; ///< between two changes
};

} // namespace stagelens::backend
