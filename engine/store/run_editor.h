// Writes runs into an open database.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_record.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::store {

struct RunDatabase;

class RunEditor {
public:
    explicit RunEditor(RunDatabase &runs) : m_runs(runs) {}

    /// Inserts a row with status running, boot id, pid and process start time, and takes an OS lock until finish() or exit.
    [[nodiscard]] base::Result<RunId> begin(const model::Experiment &experiment, timeline::Provenance kind,
                                            const std::string &name, const std::map<std::string, std::string> &environment);
    /// Records that a new run resumes from another's checkpoint, after steps with these losses, of which some were skipped.
    [[nodiscard]] base::Result<> setBeginning(RunId run, RunId resumed, std::span<const double> losses,
                                              std::span<const int> skipped = {});
    /// Appends a step's loss and iteration time.
    [[nodiscard]] base::Result<> addStep(RunId run, int step, double loss, base::Nanos iteration);
    /// Appends a step with its own timeline and metrics, to be loaded by its number.
    [[nodiscard]] base::Result<> addStep(RunId run, int step, double loss, base::Nanos iteration,
                                         const timeline::Timeline &timeline, const simulate::Metrics &metrics);
    /// Notes that a step, counted from 0, left the parameters as they were, because a gradient in fp16 overflowed.
    [[nodiscard]] base::Result<> addSkipped(RunId run, int step);
    /// Stores what the routers chose in a step that was added.
    [[nodiscard]] base::Result<> addRouters(RunId run, const timeline::RouterStep &routers);
    /// Adds a fact to the run's environment, or replaces its text.
    [[nodiscard]] base::Result<> setFact(RunId run, const std::string &name, const std::string &text);
    [[nodiscard]] base::Result<> addEvaluation(RunId run, const EvaluationLoss &evaluation);
    /// Stores metrics and timeline (a versioned, checksummed blob) of the typical or median step so far.
    [[nodiscard]] base::Result<> setTimeline(RunId run, const timeline::Timeline &timeline, const simulate::Metrics &metrics);
    /// Stores how long the operators of the run took. Replaces the times that are stored.
    [[nodiscard]] base::Result<> setOperators(RunId run, const timeline::OperatorTimes &times);
    [[nodiscard]] base::Result<> finish(RunId run, RunStatus status, const std::string &reason);

    [[nodiscard]] base::Result<> rename(RunId run, const std::string &name);
    [[nodiscard]] base::Result<> setTags(RunId run, const std::vector<std::string> &tags);
    [[nodiscard]] base::Result<> setNote(RunId run, const std::string &note);

private:
    /// Runs a durable change of a run that must exist.
    template <class Change>
    base::Result<> change(RunId run, Change change);
    base::Result<> setText(RunId run, std::string_view sql, const std::string &text);
    base::Result<> insertRun(const model::Experiment &experiment, timeline::Provenance kind, const std::string &name);
    base::Result<> insertEnvironment(RunId run, const std::map<std::string, std::string> &environment);

    RunDatabase &m_runs;
};

} // namespace stagelens::store
