// A run on its way into the database.
#pragma once

#include "engine/store/run_store.h"

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace stagelens::service {

/// Stores a run as it happens. What the database does not accept now (it is locked, its disk is full) waits in memory, in
/// order, and is tried again with each later change and at the end. One thread at a time calls it.
class RunWriter {
public:
    using Change = std::function<base::Result<>(store::RunStore &, store::RunId)>;

    /// A wait for the database at the end of a run becomes short when `stop` asks.
    RunWriter(std::filesystem::path database, std::stop_token stop);

    /// Makes the run's row with `insert`, or tries that again before the first change.
    void begin(std::function<base::Result<store::RunId>(store::RunStore &)> insert);
    /// Stores a change after all those before it.
    void write(Change change);
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
    [[nodiscard]] const std::string &problem() const { return m_problem; }

private:
    base::Result<> flush(const store::Patience &patience);
    base::Result<> prepare(const store::Patience &patience);
    void note(const base::Result<> &flushed);

    std::filesystem::path m_database;
    std::stop_token m_stop;
    std::function<base::Result<store::RunId>(store::RunStore &)> m_insert; ///< empty: no run was begun
    std::optional<store::RunStore> m_store;
    store::RunId m_run = 0;
    std::deque<Change> m_waiting;
    std::string m_problem;
    std::chrono::steady_clock::time_point m_lastTry; ///< while something waits
};

} // namespace stagelens::service
