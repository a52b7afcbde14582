// A run on its way into the database.
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

/// Changes of a run that may wait in memory. A step is one of some 100 bytes; steps with a timeline are fewer and larger, since
/// a run stores a limited number of slices. A run that has so many takes about 250 MB for them.
inline constexpr std::size_t kMostWaiting = 1'000'000;
/// Timelines stored to be looked at step by step, in slices (about 20 bytes each); steps beyond leave their figures only.
inline constexpr std::size_t kStoredSlices = 1'000'000;

/// Stores a run as it happens. What the database does not accept now (it is locked, its disk is full) waits in memory, in
/// order, and is tried again with each later change and at the end. One thread at a time calls it.
class RunWriter {
public:
    using Change = std::function<base::Result<>(store::RunStore &, store::RunId)>;

    /// A wait for the database at the end of a run becomes short when `stop` asks.
    RunWriter(std::filesystem::path database, std::stop_token stop, std::size_t mostWaiting = kMostWaiting);

    /// Makes the run's row with `insert`, or tries that again before the first change.
    void begin(std::function<base::Result<store::RunId>(store::RunStore &)> insert);
    /// Stores a change after all those before it.
    void write(Change change);
    /// Whether as many changes wait as may: the caller should make no more of them, but tryAgain().
    [[nodiscard]] bool isFull() const { return m_waiting.size() >= m_mostWaiting; }
    /// Tries to store what waits; takes a tenth of a second at most where the database is locked.
    void tryAgain();
    /// Stores a change that a later one of its kind replaces: left out while others wait.
    void writeIfUpToDate(const Change &change);
    /// Stores the run's end.
    void finish(store::RunStatus status, const std::string &reason);
    /// After finish(): waits longer for what could not be stored yet. Without success the run counts as failed.
    void settle();
    /// Deletes the run.
    [[nodiscard]] base::Result<> remove();

    /// The run's number; 0 while it has no row.
    [[nodiscard]] store::RunId run() const { return m_run; }
    /// Why changes are waiting; empty while there are none.
    [[nodiscard]] std::string problem() const;

private:
    base::Result<> flush(const store::Patience &patience);
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
