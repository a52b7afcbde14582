// The thread that computes for callers that must not wait.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace stagelens::service {

/// Runs works one after another, in the order in which they came, on a thread of its own. Thread-safe.
class WorkQueue {
public:
    using Work = std::function<void(const std::stop_token &)>;

    WorkQueue() = default;
    /// Stops the work under way, drops the others, and joins.
    ~WorkQueue();
    WorkQueue(const WorkQueue &) = delete;
    WorkQueue &operator=(const WorkQueue &) = delete;

    /// `work` must not throw. It is asked to stop when the job is cancelled or the queue ends.
    void add(std::uint64_t job, Work work);
    /// Drops the job if it waits, else asks it to stop.
    void cancel(std::uint64_t job);

private:
    struct Item {
        std::uint64_t job;
        Work work;
    };
    void runUntil(const std::stop_token &stop);

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Item> m_items;
    std::uint64_t m_running = 0;  ///< the job under way; 0: none
    std::stop_source m_stopOfJob; ///< of the one under way
    std::jthread m_thread;        ///< from the first work on
};

} // namespace stagelens::service
