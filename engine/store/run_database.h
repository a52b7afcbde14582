// An open run database and its statements about one run. Internal to the store.
#pragma once

#include "engine/base/protected_file.h"
#include "engine/store/checkpoint_folders.h"
#include "engine/store/liveness.h"
#include "engine/store/run_record.h"
#include "engine/store/sqlite.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::store {

/// The steps of a run.
struct Steps {
    std::vector<double> losses;          ///< including those before a checkpoint
    std::vector<int> skipped;            ///< those of `losses` that left the parameters as they were, from 0
    std::vector<base::Nanos> iterations; ///< of the run's own steps
    /// Puts their number, losses and median time into a summary.
    void describe(RunSummary &summary) const;
};

/// SQLite has neither NaN nor infinities; they are stored as null.
[[nodiscard]] std::optional<double> finite(double value);

struct RunDatabase {
    Database database;
    RunLocks locks;
    CheckpointFolders checkpoints;
    base::ProtectedFile file;
    std::filesystem::path place; ///< RunStore::placeOf() the database

    [[nodiscard]] static base::Result<std::unique_ptr<RunDatabase>> make(Database database, const std::filesystem::path &place);

    /// Runs `change` in a transaction of its own.
    template <class Change>
    base::Result<> inTransaction(Change change)
    {
        auto transaction = Transaction::begin(database);
        if (!transaction)
            return std::move(transaction).error();
        if (const base::Result<> changed = change(); !changed)
            return changed;
        return transaction->commit();
    }
    /// The same, flushed to disk: everything stored so far survives a power failure; other transactions survive only a crash.
    template <class Change>
    base::Result<> durably(Change change)
    {
        if (auto set = database.execute("PRAGMA synchronous = FULL"); !set)
            return set;
        auto done = inTransaction(change);
        const auto set = database.execute("PRAGMA synchronous = NORMAL");
        return done && !set ? set : done;
    }
    /// Runs one statement with its parameters bound by `bind`.
    template <class Bind>
    base::Result<> run(std::string_view sql, Bind bind)
    {
        auto statement = database.prepare(sql);
        if (!statement)
            return std::move(statement).error();
        bind(*statement);
        return statement->run();
    }
    /// Calls `read` for every row of a query whose one parameter is a run.
    template <class Read>
    base::Result<> each(std::string_view sql, RunId id, Read read)
    {
        auto statement = database.prepare(sql);
        if (!statement)
            return std::move(statement).error();
        statement->bind(id);
        for (;;) {
            const auto row = statement->step();
            if (!row)
                return row.error();
            if (!*row)
                return {};
            read(*statement);
        }
    }

    /// Fails with InvalidInput if there is no such run.
    base::Result<> requireRun(RunId id);
    base::Result<Steps> steps(RunId id);
    /// Returns the stored timeline of one step. InvalidInput, with the steps that have one, if it has none.
    base::Result<> stepTimeline(RunId id, int step, std::string &metrics, std::string &blob);
    /// Writes the figures of the steps into the run's row.
    base::Result<> refreshFigures(RunId id);
    /// Makes a step's figures and timeline those that the run is shown with; `detail` and `blob` as they are stored.
    base::Result<> showStep(RunId id, const simulate::Metrics &metrics, std::string_view detail, const std::string &blob);
    base::Result<> end(RunId id, RunStatus status, const std::string &reason);
};

/// Marks runs whose process is gone as interrupted, or as failed if it left a reason, and removes checkpoints that nothing
/// refers to any more. Failures, on a full disk say, are logged: what is stored can be read all the same, and the next opening
/// tries again.
void recover(RunDatabase &runs);
/// Marks the folders of all runs as ours: databases had no id when they were created.
[[nodiscard]] base::Result<> adoptCheckpoints(RunDatabase &runs);

} // namespace stagelens::store
