// What stands behind RunStore: the statements about one run. Internal to the store.
#pragma once

#include "engine/base/protected_file.h"
#include "engine/store/checkpoint_folders.h"
#include "engine/store/liveness.h"
#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"

namespace stagelens::store {

/// What the steps of a run were.
struct Steps {
    std::vector<double> losses;          ///< those before a checkpoint as well
    std::vector<base::Nanos> iterations; ///< of the run's own steps
    /// Puts their number, losses and median time into a summary.
    void describe(RunSummary &summary) const;
};

/// NaN and infinities are no numbers of SQLite: they are kept as null.
[[nodiscard]] std::optional<double> finite(double value);

struct RunStore::State {
    Database database;
    RunLocks locks;
    CheckpointFolders checkpoints;
    base::ProtectedFile file;

    static base::Result<std::unique_ptr<State>> make(Database database, const std::filesystem::path &place);

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
    /// The same, and what was stored by then survives a power cut; other transactions survive the end of the process.
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

    [[nodiscard]] base::Error noSuchRun(RunId id) const;
    base::Result<> requireRun(RunId id);
    base::Result<Steps> steps(RunId id);
    /// Rows of the runs and of the tags that fulfil a condition each, whose one parameter is 0.
    base::Result<std::vector<RunSummary>> summaries(std::string_view ofRuns, std::string_view ofTags);
    /// What was kept of one step's timeline, as it is stored. InvalidInput, with the steps that were kept, where it was not.
    base::Result<> stepTimeline(RunId id, int step, std::string &metrics, std::string &blob);
    /// Writes the figures of the steps into the run's row.
    base::Result<> refreshFigures(RunId id);
    /// Makes a step's figures and timeline those that the run is shown with; `detail` and `blob` as they are stored.
    base::Result<> showStep(RunId id, const simulate::Metrics &metrics, std::string_view detail, const std::string &blob);
    /// The median step of those that were kept, of a run whose process cannot choose any more. Nothing where none was kept.
    base::Result<> showMedianStep(RunId id);
    base::Result<> end(RunId id, RunStatus status, const std::string &reason);
    base::Result<> insertRun(const model::Experiment &experiment, timeline::Provenance kind, const std::string &name);
    base::Result<> insertEnvironment(RunId id, const std::map<std::string, std::string> &environment);
    /// Running runs whose process is gone: it neither holds the lock nor is it there.
    base::Result<std::vector<RunId>> orphans();
    base::Result<> markInterrupted();
    /// The status of a run; empty where there is none.
    base::Result<std::string> statusOf(RunId id);
    /// Marks the folders of all runs as ours: they were made when a database had no id.
    base::Result<> adoptCheckpoints();
    /// Removes the folders of runs that were deleted, and incomplete checkpoints of runs that have ended.
    base::Result<> removeOrphanCheckpoints();
};

} // namespace stagelens::store
