// The stored data of a run.
#pragma once

#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/simulate/metrics.h"
#include "engine/timeline/operator_times.h"
#include "engine/timeline/router_counts.h"
#include "engine/timeline/timeline.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::store {

using RunId = std::int64_t;

enum class RunStatus : unsigned char { Running, Finished, Failed, Cancelled, Interrupted };
[[nodiscard]] std::string_view name(RunStatus status);
[[nodiscard]] std::optional<RunStatus> parseRunStatus(std::string_view text);

/// The median step's time, with the first two steps apart where there are more; of an even number the lower of the two in the
/// middle, so that it is a step's. Nothing without steps.
[[nodiscard]] std::optional<base::Nanos> medianIteration(std::span<const base::Nanos> iterations);
/// The index of that step.
[[nodiscard]] std::optional<std::size_t> medianIndex(std::span<const base::Nanos> iterations);

/// A row of the run table.
struct RunSummary {
    RunId id = 0;
    RunStatus status = RunStatus::Running;
    std::string name; ///< as given; empty: none
    std::int64_t startedUnixMs = 0;
    timeline::Provenance kind = timeline::Provenance::MeasuredLive;
    std::string family;
    model::VocabularyMethod vocabulary = model::VocabularyMethod::None;
    int devices = 0;
    int microbatches = 0;
    int vocabularySize = 0; ///< 0: unknown
    int stepsDone = 0;
    int stepsPlanned = 0;
    std::optional<double> firstLoss;
    std::optional<double> lastLoss;
    std::optional<double> evaluationLoss; ///< the latest one on tokens held back from training
    std::optional<RunId> resumed;         ///< the run from whose checkpoint this one resumes
    int resumedSteps = 0;                 ///< steps that were done then
    std::optional<base::Nanos> iteration; ///< median, first two steps apart
    std::optional<double> bubbleRatio;
    std::optional<double> tokensPerSecond;
    std::optional<base::Bytes> peakMemory; ///< greatest over the devices
    std::string reason;                    ///< why it failed or stopped
    std::vector<std::string> tags;
    std::string note; ///< what a person wrote about it
};

/// What the table of runs is sorted by.
enum class RunOrder : unsigned char {
    Newest,
    Name,
    Status,
    Kind,
    TokensPerSecond,
    Bubble,
    PeakMemory,
    Iteration,
    Loss,
    Steps,
    Tags, ///< by the first of a run's tags
    Note,
};
/// Returns whether an order is that of a text, whose first is shown first.
[[nodiscard]] constexpr bool isText(RunOrder order)
{
    return order == RunOrder::Name || order == RunOrder::Status || order == RunOrder::Kind || order == RunOrder::Tags ||
           order == RunOrder::Note;
}

/// Which runs, in which order.
struct RunQuery {
    /// Each entry must be found in a run's words (name, family, method, status, kind, "4x16", "V8192", note, tags) in one of
    /// its spellings; ASCII letters match either case.
    std::vector<std::vector<std::string>> words;
    RunOrder order = RunOrder::Newest;
    bool reversed =
        false; ///< else newest, first text and greatest figure first; runs without a figure, a tag or a note stand last
};

/// The runs that a query finds, and how many there are in all.
struct RunList {
    std::vector<RunId> ids;
    std::size_t total = 0;
};

/// Mean loss on held-out tokens, after that number of steps.
struct EvaluationLoss {
    int steps = 0;
    double loss = 0;
    friend bool operator==(const EvaluationLoss &, const EvaluationLoss &) = default;
};

/// Everything stored of a run.
struct RunRecord {
    RunSummary summary;
    model::Experiment experiment;
    std::map<std::string, std::string> environment; ///< cpu, cores, blas, compiler, commit, host, ...
    std::vector<double> losses; ///< of every step; a resumed run begins with the summary's resumedSteps of the run before it
    std::vector<int> skipped;   ///< those of `losses`, from 0, in which a gradient in fp16 overflowed; ascending
    std::vector<EvaluationLoss> evaluations;
    std::vector<base::Nanos> iterations;          ///< of every step that this run did itself
    std::vector<timeline::RouterStepPtr> routers; ///< of the same steps; empty without experts
    std::optional<simulate::Metrics> metrics;     ///< of the typical step, else of the median one
    timeline::TimelinePtr timeline;               ///< of the typical step, else of the median one; null before the first
    timeline::OperatorTimesPtr operators;         ///< medians over the steps; null: not recorded
};

} // namespace stagelens::store
