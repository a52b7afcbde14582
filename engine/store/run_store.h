// The run database: an interface in terms of runs over SQLite.
#pragma once

#include "engine/base/result.h"
#include "engine/store/checkpoint_folders.h"
#include "engine/store/patience.h"
#include "engine/store/run_record.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stagelens::store {

/// What `db check` found.
struct CheckReport {
    int schemaVersion = 0;
    std::vector<std::string> faults; ///< empty: clean
    std::vector<std::string> hints;  ///< what can be done
};

/// One open database. Not thread-safe: each thread opens its own. Two processes may write into one file.
class RunStore {
public:
    /// Opens or creates the file, migrates it (with a backup beside it first), marks runs whose process is gone as interrupted
    /// and removes checkpoints that nothing refers to any more (a warning in the log where that cannot be done). Errors tell
    /// apart: not ours, from a newer version, locked, read-only, full, damaged; nothing is changed then.
    [[nodiscard]] static base::Result<RunStore> open(const std::filesystem::path &file, const Patience &patience = {});
    /// How long later calls wait for other writers.
    void setPatience(const Patience &patience);
    /// Returns runs.db in base::dataFolder().
    [[nodiscard]] static std::filesystem::path defaultFile();
    /// Returns the absolute path of a database with all symbolic links resolved.
    [[nodiscard]] static std::filesystem::path placeOf(const std::filesystem::path &file);

    RunStore(RunStore &&) noexcept;
    RunStore &operator=(RunStore &&) noexcept;
    ~RunStore();

    /// Inserts a row with status running, boot id, pid and process start time, and takes an OS lock until finish() or exit.
    [[nodiscard]] base::Result<RunId> begin(const model::Experiment &experiment, timeline::Provenance kind,
                                            const std::string &name, const std::map<std::string, std::string> &environment);
    /// Records that a new run resumes from another's checkpoint, after steps with these losses.
    [[nodiscard]] base::Result<> setBeginning(RunId run, RunId resumed, std::span<const double> losses);
    /// Appends a step's loss and iteration time.
    [[nodiscard]] base::Result<> addStep(RunId run, int step, double loss, base::Nanos iteration);
    /// Appends a step with its own timeline and metrics, to be loaded by its number.
    [[nodiscard]] base::Result<> addStep(RunId run, int step, double loss, base::Nanos iteration,
                                         const timeline::Timeline &timeline, const simulate::Metrics &metrics);
    /// Adds a fact to the run's environment, or replaces its text.
    [[nodiscard]] base::Result<> setFact(RunId run, const std::string &name, const std::string &text);
    [[nodiscard]] base::Result<> addEvaluation(RunId run, const EvaluationLoss &evaluation);
    /// Stores metrics and timeline (a versioned, checksummed blob) of the median step so far.
    [[nodiscard]] base::Result<> setTimeline(RunId run, const timeline::Timeline &timeline, const simulate::Metrics &metrics);
    [[nodiscard]] base::Result<> finish(RunId run, RunStatus status, const std::string &reason);

    [[nodiscard]] base::Result<std::vector<RunSummary>> list();
    /// The numbers of the runs that a query finds: from indices alone, so that many runs cost little.
    [[nodiscard]] base::Result<RunList> find(const RunQuery &query);
    /// The rows of those runs, in that order; a run that is gone is left out.
    [[nodiscard]] base::Result<std::vector<RunSummary>> summaries(std::span<const RunId> runs);
    /// Loads only the plan of a run.
    [[nodiscard]] base::Result<model::Experiment> experiment(RunId run);
    /// With the timeline and metrics of the median step, or of the step asked for; InvalidInput where that one's were not kept.
    [[nodiscard]] base::Result<RunRecord> load(RunId run, std::optional<int> step = {});
    [[nodiscard]] base::Result<> rename(RunId run, const std::string &name);
    [[nodiscard]] base::Result<> setTags(RunId run, const std::vector<std::string> &tags);
    [[nodiscard]] base::Result<> setNote(RunId run, const std::string &note);
    /// With its checkpoints. Those that cannot be removed are left to the next opening, which the log says.
    [[nodiscard]] base::Result<> remove(RunId run);
    [[nodiscard]] base::Result<CheckReport> check();
    [[nodiscard]] const CheckpointFolders &checkpoints() const;

private:
    struct State;
    explicit RunStore(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace stagelens::store
