// The threads that compute for callers that must not block.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace stagelens::service {

/// Runs jobs on a few threads of its own, first in, first out. Thread-safe.
class WorkQueue {
public:
    using Work = std::function<void(const std::stop_token &)>;

    WorkQueue() = default;
    /// Stops the running works, drops the others, and joins.
    ~WorkQueue();
    WorkQueue(const WorkQueue &) = delete;
    WorkQueue &operator=(const WorkQueue &) = delete;

    /// `work` must not throw. Its stop is requested when the job is cancelled or the queue ends.
    void add(std::uint64_t job, Work work);
    /// Drops the job if it is waiting, otherwise requests its stop.
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
    std::map<std::uint64_t, std::stop_source> m_running; ///< by job
    std::vector<std::jthread> m_threads;                 ///< started on demand
};

} // namespace stagelens::service
