// Who of the ranks in this process still can send.
#pragma once

#include <mutex>
#include <stop_token>

namespace stagelens::backend {

/// Counts the ranks that take part in a step, and those of them that wait. Where all of them wait, nobody is left to send what
/// they wait for: that is a dead-lock for certain, without a time-out. Thread-safe.
class Activity {
public:
    /// `end` is asked to stop where ranks are dead-locked, so that their waits end.
    explicit Activity(std::stop_source end) : m_end(std::move(end)) {}

    void join() { change(1, 0); }
    void leave() { change(-1, 0); }
    void beginWait() { change(0, 1); }
    /// On the thread that sent what was waited for, before it can wait in turn; or where the wait was given up.
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
