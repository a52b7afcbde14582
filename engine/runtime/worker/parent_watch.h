// Notices that the program that started a worker from another machine is gone.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace stagelens::runtime {

/// How often that program sends a heartbeat.
inline constexpr std::chrono::seconds kHeartbeat{2};

/// Requests the stop of the run if nothing was heard for 15 s (STAGELENS_HOST_SILENCE_SECONDS) or the input has ended; ends
/// this process if it still runs 5 s later, whatever it waits for. Thread-safe.
class ParentWatch {
public:
    /// `abandon` ends the process.
    ParentWatch(std::stop_source stop, std::function<void()> abandon) : m_stop(std::move(stop)), m_abandon(std::move(abandon))
    {}
    /// Starts the watch; without this call nothing happens.
    void begin();
    void hear();
    /// The input has ended.
    void lose();

private:
    using Clock = std::chrono::steady_clock;
    void watch(const std::stop_token &ended);

    std::stop_source m_stop;
    std::function<void()> m_abandon;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    Clock::time_point m_heard;
    bool m_isLost = false;
    std::jthread m_thread; ///< last member: joined first
};

} // namespace stagelens::runtime
