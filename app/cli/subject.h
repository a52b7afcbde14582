// What `compare` and `export` work on: an experiment with its prediction, or a stored run.
#pragma once

#include "app/cli/options.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/metrics.h"
#include "engine/store/run_record.h"
#include "engine/timeline/timeline.h"

#include <memory>
#include <optional>
#include <string>

namespace stagelens::cli {

struct Subject {
    std::string label; ///< "run 12", the experiment's file or "standard input"
    model::Experiment experiment;
    simulate::Metrics metrics;
    timeline::TimelinePtr timeline;
    std::shared_ptr<const schedule::Schedule> schedule;
    std::optional<store::RunRecord> run; ///< present for a stored run
};

/// A whole number is a run of the database, all else an experiment (file and options), which is predicted. A run shows its
/// typical step unless another is asked for. Failed for a run without a finished step.
[[nodiscard]] base::Result<Subject> subjectOf(const ExperimentArguments &arguments, const std::string &database,
                                              std::optional<int> step = {});
/// A stored run, as above.
[[nodiscard]] base::Result<Subject> runSubject(store::RunId run, const std::string &database, std::optional<int> step = {});
/// The run's number, if that is what the text is and no file of that name exists.
[[nodiscard]] std::optional<store::RunId> runNumber(const std::string &text);

} // namespace stagelens::cli
