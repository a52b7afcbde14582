// Counts waiting ranks to detect deadlocks.
#pragma once

#include <mutex>
#include <stop_token>

namespace stagelens::backend {

/// Counts the ranks of this process that take part in a step and how many of them wait. If all wait, no rank can send what the
/// others wait for: a certain deadlock, detected without a time-out. Thread-safe.
class Activity {
public:
    /// Requests the stop of `end` on a deadlock, which must end the waits.
    explicit Activity(std::stop_source end) : m_end(std::move(end)) {}

    void join() { change(1, 0); }
    void leave() { change(-1, 0); }
    void beginWait() { change(0, 1); }
    /// Called by the thread that sends the awaited message, before it can wait itself; or by the waiting rank if it stops
    /// waiting.
    void endWait() { change(0, -1); }
    [[nodiscard]] bool isDeadlocked() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_isDeadlocked;
    }

private:
    void change(int ranks, int waits)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_ranks += ranks;
            m_waits += waits;
            if (m_ranks == 0 || m_waits < m_ranks || m_end.stop_requested())
                return;
            m_isDeadlocked = true;
        }
        m_end.request_stop();
    }

    std::stop_source m_end;
    mutable std::mutex m_mutex;
    int m_ranks = 0;
    int m_waits = 0;
    bool m_isDeadlocked = false;
};

} // namespace stagelens::backend
