// The only door of the engine for the window and the command line: jobs in, immutable snapshots out.
#pragma once

#include "engine/base/exception_text.h"
#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/schedule/schedule.h"
#include "engine/service/runs/run_writer.h"
#include "engine/service/runs/store_queue.h"
#include "engine/service/search/schedule_search.h"
#include "engine/service/search/sweep.h"
#include "engine/simulate/idle_causes.h"
#include "engine/simulate/memory_profiles.h"
#include "engine/simulate/metrics.h"
#include "engine/store/run_record.h"
#include "engine/store/run_store.h"
#include "engine/timeline/kernel_trace.h"
#include "engine/timeline/timeline.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stagelens::backend {
class ProcessGroup;
}

namespace stagelens::service {

using JobId = std::uint64_t;

/// All that follows from an experiment without running it. Immutable.
struct Prediction {
    model::Experiment experiment; ///< resolved
    std::shared_ptr<const schedule::Schedule> schedule;
    std::shared_ptr<const simulate::CostModel> costs; ///< the timeline was predicted with
    timeline::TimelinePtr timeline;
    simulate::Metrics metrics;
    std::shared_ptr<const simulate::MemoryProfiles> memory; ///< null without a model
    base::Bytes memoryCapacity = 0;                         ///< of a device; 0: unknown
    std::string costName;                                   ///< "cpu-local", "uniform", the durations file's name
    std::shared_ptr<const SearchResult> search;             ///< that chose the schedule; null where the plan named its family
};
using PredictionPtr = std::shared_ptr<const Prediction>;

/// What holds the others up and which vocabulary method helps most (background simulations of the same plan).
struct Advice {
    int slowestDevice = 0;
    std::optional<double> vocabularyShare;         ///< of that device's work
    double othersIdle = 0;                         ///< mean bubble ratio of the other devices
    std::optional<model::VocabularyMethod> better; ///< absent if nothing helps
    double speedup = 1;                            ///< iteration now / iteration with `better`
    /// Iteration time and greatest peak memory of the same plan with each method; absent where it cannot be made.
    struct Option {
        model::VocabularyMethod method;
        std::optional<base::Nanos> iteration;
        std::optional<base::Bytes> peakMemory;
    };
    std::vector<Option> options;
    simulate::BubbleCauses causes;
};

/// A run as it stands: the record so far, and what is being done. Immutable.
struct RunSnapshot {
    store::RunRecord record; ///< record.timeline: latest step while running, median step after
    int step = 0;            ///< steps done
    int steps = 0;
    std::size_t passesDone = 0; ///< of the current step
    std::size_t passCount = 0;
    double secondsElapsed = 0;
    std::optional<double> secondsLeft;
    bool finished = false;
    bool stored = true; ///< false: results wait in memory, or were lost where the run has ended; see storeProblem
    std::string storeProblem;
    bool waitsForStore = false;       ///< training is blocked until the database accepts the changes in memory
    std::string checkpointProblem;    ///< why the latest checkpoint was not written; empty if it was
    std::optional<base::Error> error; ///< why it failed; absent while running, when finished and when cancelled
    std::shared_ptr<const schedule::Schedule> schedule;
    /// Of the last step and its timeline, where they were recorded. They are not stored.
    timeline::KernelTracePtr kernels;
    timeline::TimelinePtr kernelTimeline;
};
using RunSnapshotPtr = std::shared_ptr<const RunSnapshot>;

/// Answer of a prediction job.
struct PredictionAnswer {
    base::Result<PredictionPtr> prediction;
    std::optional<Advice> advice; ///< present when it was asked for
};
using PredictionAnswerPtr = std::shared_ptr<const PredictionAnswer>;

/// A trace that was stored as a run.
struct ImportedRun {
    store::RunId run = 0;
    int steps = 0;
    std::size_t incompleteSteps = 0; ///< left out
    std::size_t otherEvents = 0;     ///< of the pipeline, but no passes
};
using ImportAnswerPtr = std::shared_ptr<const base::Result<ImportedRun>>;
/// How much of an import's files has been read.
struct ImportProgress {
    double share = 0; ///< below 1; 1: the run is being stored
};
/// What ask() or compute() was given for the answer; the reader of the events calls it.
using StoreAnswer = std::function<void()>;

/// What came in for a job. Stale ones are told apart by the id.
struct Event {
    JobId job = 0;
    std::variant<PredictionAnswerPtr, RunSnapshotPtr, SweepSnapshotPtr, ImportProgress, ImportAnswerPtr, StoreAnswer> answer;
};

/// A backend as `list backends` prints it.
struct BackendInfo {
    std::string name;
    std::string description;
    bool available = true;
    std::string reason; ///< why not
};

/// What a run is given beside its experiment.
struct TrainingOptions {
    std::filesystem::path dump; ///< folders in Hugging Face layout, as runtime::RunFolders has them; empty: none
    std::filesystem::path init;
    int checkpointEvery = 0;                 ///< steps; 0: no checkpoints
    std::optional<store::RunId> resume = {}; ///< the stored run from whose newest checkpoint this one goes on
    /// That train it together, each with this call; the first one stores it. Null: this process alone.
    std::shared_ptr<backend::ProcessGroup> processes = {};
    bool isOverNccl = false;                ///< tensors travel over NCCL, each device has a GPU of its own
    bool recordsKernels = false;            ///< of the GPUs, in the last step
    std::size_t mostWaiting = kMostWaiting; ///< changes in memory while the database does not take them; then training waits
};

struct ServiceOptions {
    std::filesystem::path database; ///< empty: the default file
    int cores = 0;                  ///< 0: those of this machine
};

/// The experiment with what follows from its schedule's file (devices, microbatches, chunks, vocabulary); the same where it has
/// none. InvalidInput where the file cannot be read, or the experiment says otherwise than the file.
[[nodiscard]] base::Result<model::Experiment> followed(model::Experiment experiment);

/// The schedule of a resolved experiment; where its order looks at durations (`best`, zb-auto), made for the experiment's
/// costs. Where it comes from a file it is sound, or its faults are the problems.
[[nodiscard]] base::Result<schedule::Schedule> scheduleOf(const model::Experiment &experiment);

/// Predicts now, on the caller's thread (milliseconds for the plans of a desk; seconds for family `auto`, which is searched).
/// InvalidInput with every problem of the plan; Cancelled where the options' stop asks, which is looked at between its parts.
[[nodiscard]] base::Result<PredictionPtr> predict(const model::Experiment &experiment, int cores,
                                                  const SearchOptions &options = {});
/// Returns critical path, slack and causes of every idle interval of a prediction. O(passes).
[[nodiscard]] base::Result<simulate::Explanation> explain(const Prediction &prediction);
/// The same of a timeline that was measured under an experiment; messages and collectives cost what the experiment's costs say.
/// Fails where its passes are not those of the experiment's schedule, in their order.
[[nodiscard]] base::Result<simulate::Explanation> explain(const model::Experiment &experiment,
                                                          const timeline::Timeline &measured);
/// A plan and its times.
struct TimedPlan {
    const model::Experiment &experiment; ///< resolved
    const schedule::Schedule *schedule;  ///< null: not known, and neither are the bytes then
    const timeline::Timeline &timeline;
    const simulate::Metrics &metrics;
};
/// For another program: format "chrome-trace" (with messages as flows and bytes as counters), "csv" or "json".
[[nodiscard]] base::Result<std::string> exportText(const TimedPlan &plan, const std::string &format);
/// The same of a stored run. Failed where it has no timeline.
[[nodiscard]] base::Result<std::string> exportText(const store::RunRecord &run, const std::string &format);
/// Returns the counterfactual split of a prediction's bubble, by a few more simulations.
[[nodiscard]] simulate::BubbleCauses splitBubble(const Prediction &prediction);
/// Which method helps most; runs one prediction for each. What is known so far where `stop` asks.
[[nodiscard]] Advice advise(const Prediction &prediction, int cores, const std::stop_token &stop = {});
/// Bytes that a real run of the plan takes on this machine, all devices together; 0 for a plan that cannot be made.
[[nodiscard]] base::Bytes bytesToTrain(const model::Experiment &experiment);
/// Free memory of this machine now; 0: unknown.
[[nodiscard]] base::Bytes availableBytes();
/// Every reason why a resolved plan cannot be trained here now under its schedule, each with its field; empty if it can.
[[nodiscard]] base::Problems trainingProblems(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// Measures this machine for the cpu-local preset (about a second) and stores it in the data folder.
[[nodiscard]] base::Result<model::Hardware> calibrate(std::stop_token stop);
[[nodiscard]] bool isCalibrated();
[[nodiscard]] std::vector<BackendInfo> backends();
[[nodiscard]] int machineCores();

/// Jobs on the engine's own threads. Thread-safe. Destruction cancels and joins all jobs.
class EngineService {
public:
    /// `wake` is called on an engine thread when an event came into the empty mailbox.
    explicit EngineService(const ServiceOptions &options, std::function<void()> wake = {});
    ~EngineService();
    EngineService(const EngineService &) = delete;
    EngineService &operator=(const EngineService &) = delete;

    /// Predicts off the caller's thread; a newer prediction job cancels the older. With `withAdvice` the answer bears Advice.
    JobId submitPrediction(model::Experiment experiment, bool withAdvice);
    /// Trains and stores the run. The job owns a copy of the plan.
    JobId submitTraining(model::Experiment experiment, TrainingOptions options = {});
    /// Predicts or trains many plans one after another.
    JobId submitSweep(std::vector<model::Experiment> plans, bool train);
    /// Stores another program's traces as a run.
    JobId submitImport(std::vector<std::filesystem::path> files);
    /// Asks a job to stop; answers at once, the job's last event says when it has.
    void cancel(JobId job);
    /// Events since the last call, oldest first; of several snapshots of one run only the latest.
    [[nodiscard]] std::vector<Event> drain();
    /// Waits until no job runs (for the command line).
    void waitIdle();

    /// Runs `work(storedRuns)`, which returns a Result, on the service's thread for the run database, after all that was asked
    /// before. `take` is given the Result when the event is handled. When the service ends, changes are still made.
    template <class Work, class Take>
    JobId ask(StoreUse use, Work work, Take take);
    /// Runs `work(stop)`, which returns a Result, on one of the service's threads for analyses. `take` is given the Result
    /// when the event is handled. A job that is cancelled before it begins has no answer.
    template <class Work, class Take>
    JobId compute(Work work, Take take);
    /// Later jobs and questions are about another run database; those under way keep theirs.
    void useDatabase(std::filesystem::path file);
    [[nodiscard]] std::filesystem::path databaseFile() const;

private:
    JobId submitStoreUse(StoreUse use, std::function<StoreAnswer(StoredRuns &)> work);
    JobId submitAnalysis(std::function<StoreAnswer(const std::stop_token &)> work);

    struct State;
    std::unique_ptr<State> m_state;
};

template <class Work, class Take>
JobId EngineService::ask(StoreUse use, Work work, Take take)
{
    using Answer = decltype(work(std::declval<StoredRuns &>()));
    const auto guarded = [work = std::move(work)](StoredRuns &runs) -> Answer {
        try {
            return work(runs);
        } catch (const std::exception &exception) { // out of memory, say
            return base::Error::failed("the run database was not read: " + base::exceptionText(exception));
        }
    };
    return submitStoreUse(use, [guarded, take = std::move(take)](StoredRuns &runs) -> StoreAnswer {
        return [take, answer = std::make_shared<Answer>(guarded(runs))] { take(std::move(*answer)); };
    });
}

template <class Work, class Take>
JobId EngineService::compute(Work work, Take take)
{
    using Answer = decltype(work(std::declval<const std::stop_token &>()));
    const auto guarded = [work = std::move(work)](const std::stop_token &stop) -> Answer {
        try {
            return work(stop);
        } catch (const std::exception &exception) { // out of memory, say
            return base::Error::failed("it was not computed: " + base::exceptionText(exception));
        }
    };
    return submitAnalysis([guarded, take = std::move(take)](const std::stop_token &stop) -> StoreAnswer {
        return [take, answer = std::make_shared<Answer>(guarded(stop))] { take(std::move(*answer)); };
    });
}

} // namespace stagelens::service
