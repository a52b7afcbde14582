// Writes a run to the database while it is trained.
#pragma once

#include "engine/store/run_store.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace stagelens::service {

/// Maximum number of changes of a run that wait in memory, about 250 MB. A step is a change of about 100 bytes; steps with a
/// timeline are larger but fewer, because a run stores a limited number of slices.
inline constexpr std::size_t kMostWaiting = 1'000'000;
/// Maximum number of slices (about 20 bytes each) in the stored timelines of steps; further steps store only their figures.
inline constexpr std::size_t kStoredSlices = 1'000'000;

/// Stores a run while it is trained. Changes that the database does not accept (it is locked, its disk is full) wait in memory,
/// in order, and are retried with each later change and at the end. Used by one thread at a time.
class RunWriter {
public:
    using Change = std::function<base::Result<>(store::RunEditor &, store::RunId)>;

    /// A stop request shortens the wait for the database at the end of a run.
    RunWriter(std::filesystem::path database, std::stop_token stop, std::size_t mostWaiting = kMostWaiting);

    /// Inserts the run's row with `insert`; if that fails, retries before the first change.
    void begin(std::function<base::Result<store::RunId>(store::RunStore &)> insert);
    /// Stores a change after all those before it.
    void write(Change change);
    /// Returns whether the maximum number of changes waits: the caller should pause and call tryAgain().
    [[nodiscard]] bool isFull() const { return m_waiting.size() >= m_mostWaiting; }
    /// Tries to store the waiting changes; takes at most a tenth of a second if the database is locked.
    void tryAgain();
    /// Stores a change that a later one of its kind replaces; dropped while others wait.
    void writeIfUpToDate(const Change &change);
    /// Stores the run's end.
    void finish(store::RunStatus status, const std::string &reason);
    /// Waits longer for changes that could not be stored. If that fails, the run counts as failed. Call after finish().
    void settle();
    /// Deletes the run.
    [[nodiscard]] base::Result<> remove();

    /// Returns the run's number; 0 while it has no row.
    [[nodiscard]] store::RunId run() const { return m_run; }
    /// Returns why changes are waiting; empty if none are.
    [[nodiscard]] std::string problem() const;

private:
    base::Result<> flush(const store::Patience &patience);
    base::Result<> make(const Change &change);
    base::Result<> prepare(const store::Patience &patience);
    void note(const base::Result<> &flushed);

    std::filesystem::path m_database;
    std::stop_token m_stop;
    std::size_t m_mostWaiting;
    std::function<base::Result<store::RunId>(store::RunStore &)> m_insert; ///< empty: no run was begun
    std::optional<store::RunStore> m_store;
    store::RunId m_run = 0;
    std::deque<Change> m_waiting;
    std::string m_problem;
    std::chrono::steady_clock::time_point m_lastTry; ///< while something waits
};

} // namespace stagelens::service
