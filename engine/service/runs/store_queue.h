// The thread that uses the run database for callers that must not wait.
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

/// What is done with stored runs decides how long it waits for other processes.
enum class StoreUse : unsigned char {
    Read,  ///< a quarter of a second: the caller can ask again
    Change ///< as long as every other writer does
};

/// Runs uses of stored runs one after another, in the order in which they came, on a thread of its own. Thread-safe.
class StoreQueue {
public:
    using Work = std::function<void(StoredRuns &)>;

    explicit StoreQueue(std::filesystem::path database);
    /// Makes the changes that were asked for, drops the reads, and joins.
    ~StoreQueue();
    StoreQueue(const StoreQueue &) = delete;
    StoreQueue &operator=(const StoreQueue &) = delete;

    /// `work` must not throw.
    void add(StoreUse use, Work work);
    /// Later uses are of another database; those that wait keep theirs.
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
    std::jthread m_thread; ///< from the first use on
};

} // namespace stagelens::service
