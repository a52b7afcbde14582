// The thread that uses the run database for callers that must not block.
#pragma once

#include "engine/service/runs/stored_runs.h"

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

namespace stagelens::service {

/// The use of stored runs, which decides how long it waits for locks of other processes.
enum class StoreUse : unsigned char {
    Read,  ///< a quarter of a second: the caller can retry
    Change ///< as long as every other writer
};

/// Runs uses of stored runs on a thread of its own, first in, first out. Thread-safe.
class StoreQueue {
public:
    using Work = std::function<void(StoredRuns &)>;

    explicit StoreQueue(std::filesystem::path database);
    /// Runs the queued changes, drops the reads, and joins.
    ~StoreQueue();
    StoreQueue(const StoreQueue &) = delete;
    StoreQueue &operator=(const StoreQueue &) = delete;

    /// `work` must not throw.
    void add(StoreUse use, Work work);
    /// Later uses have another database; queued ones keep theirs.
    void useDatabase(std::filesystem::path file);
    [[nodiscard]] std::filesystem::path file() const;

private:
    struct Item {
        StoreUse use;
        std::shared_ptr<StoredRuns> runs;
        Work work;
    };
    void runUntil(const std::stop_token &stop);

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::shared_ptr<StoredRuns> m_runs;
    std::deque<Item> m_items;
    std::jthread m_thread; ///< started by the first use
};

} // namespace stagelens::service
