// The interface of the engine for the window and the command line: jobs in, immutable snapshots out.
#pragma once

#include "engine/base/exception_text.h"
#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/runtime/remote/host.h"
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

/// The results that follow from an experiment without running it. Immutable.
struct Prediction {
    model::Experiment experiment; ///< resolved
    std::shared_ptr<const schedule::Schedule> schedule;
    std::shared_ptr<const simulate::CostModel> costs; ///< of the predicted timeline
    timeline::TimelinePtr timeline;
    simulate::Metrics metrics;
    std::shared_ptr<const simulate::MemoryProfiles> memory; ///< null without a model
    std::shared_ptr<const model::Hardware> hardware;        ///< that the costs are of; null if they are mere durations
    base::Bytes memoryCapacity = 0;                         ///< of a device; 0: unknown
    std::string costName;                                   ///< "cpu-local", "uniform", the durations file's name
    std::shared_ptr<const SearchResult> search;             ///< that chose the schedule; null if the plan named its family
};
using PredictionPtr = std::shared_ptr<const Prediction>;

/// The bottleneck device and the vocabulary method that helps most (background simulations of the same plan).
struct Advice {
    int slowestDevice = 0;
    std::optional<double> vocabularyShare;         ///< of that device's work
    double othersIdle = 0;                         ///< mean bubble ratio of the other devices
    std::optional<model::VocabularyMethod> better; ///< absent if nothing helps
    double speedup = 1;                            ///< iteration now / iteration with `better`
    /// Iteration time and maximum peak memory of the same plan with each method; absent if the plan is invalid.
    struct Option {
        model::VocabularyMethod method;
        std::optional<base::Nanos> iteration;
        std::optional<base::Bytes> peakMemory;
    };
    std::vector<Option> options;
    simulate::BubbleCauses causes;
};

/// The state of a run: its record so far, and the current activity. Immutable.
struct RunSnapshot {
    store::RunRecord record; ///< record.timeline: latest step while running, median step after
    int step = 0;            ///< steps done
    int steps = 0;
    std::size_t passesDone = 0; ///< of the current step
    std::size_t passCount = 0;
    double secondsElapsed = 0;
    std::optional<double> secondsLeft;
    bool finished = false;
    bool stored = true; ///< false: results wait in memory, or were lost if the run has ended; see storeProblem
    std::string storeProblem;
    std::string connecting;           ///< the machine that is being connected to; empty: none
    bool waitsForStore = false;       ///< training is blocked until the database accepts the changes in memory
    std::string checkpointProblem;    ///< why the latest checkpoint was not written; empty if it was
    std::optional<base::Error> error; ///< why it failed; absent while running, when finished and when cancelled
    std::shared_ptr<const schedule::Schedule> schedule;
    /// Of the last step and its timeline, if recorded. They are not stored.
    timeline::KernelTracePtr kernels;
    timeline::TimelinePtr kernelTimeline;
};
using RunSnapshotPtr = std::shared_ptr<const RunSnapshot>;

/// The result of a prediction job.
struct PredictionAnswer {
    base::Result<PredictionPtr> prediction;
    std::optional<Advice> advice; ///< present if requested
};
using PredictionAnswerPtr = std::shared_ptr<const PredictionAnswer>;

/// A trace that was stored as a run.
struct ImportedRun {
    store::RunId run = 0;
    int steps = 0;
    std::size_t incompleteSteps = 0; ///< omitted
    std::size_t otherEvents = 0;     ///< of the pipeline, but not passes
};
using ImportAnswerPtr = std::shared_ptr<const base::Result<ImportedRun>>;
/// The fraction of an import's files that has been read.
struct ImportProgress {
    double share = 0; ///< below 1; 1: the run is being stored
};
/// The handler given to ask() or compute(), bound to its result; the reader of the events calls it.
using StoreAnswer = std::function<void()>;

/// An event of a job. Stale events are recognised by the id.
struct Event {
    JobId job = 0;
    std::variant<PredictionAnswerPtr, RunSnapshotPtr, SweepSnapshotPtr, ImportProgress, ImportAnswerPtr, StoreAnswer> answer;
};

/// A backend for `list backends`.
struct BackendInfo {
    std::string name;
    std::string description;
    bool available = true;
    std::string reason; ///< why not
};

/// The options of a run beside its experiment.
struct TrainingOptions {
    std::filesystem::path dump; ///< folders in Hugging Face layout (runtime::RunFolders); empty: none
    std::filesystem::path init;
    int checkpointEvery = 0;                 ///< steps; 0: no checkpoints
    std::optional<store::RunId> resume = {}; ///< the stored run whose newest checkpoint this one resumes
    /// Processes that train the plan together, each with this call; the first one stores the run. Null: only this process.
    std::shared_ptr<backend::ProcessGroup> processes = {};
    bool isOverNccl = false;                ///< transports tensors over NCCL; each device has its own GPU
    bool recordsKernels = false;            ///< of the GPUs, in the last step
    runtime::HostChoice host = {};          ///< the machine that trains, instead of this one
    std::size_t mostWaiting = kMostWaiting; ///< maximum number of unstored changes in memory; then training waits
};

struct ServiceOptions {
    std::filesystem::path database; ///< empty: the default file
    int cores = 0;                  ///< 0: those of this machine
};

/// Returns the experiment completed from its schedule's file (devices, microbatches, chunks, vocabulary); unchanged without
/// one. Fails with InvalidInput if the file cannot be read or contradicts the experiment.
[[nodiscard]] base::Result<model::Experiment> followed(model::Experiment experiment);

/// Returns the schedule of a resolved experiment. An order that depends on durations (`best`, zb-auto) is built for the
/// experiment's costs. A schedule from a file is valid; otherwise its faults are the problems.
[[nodiscard]] base::Result<schedule::Schedule> scheduleOf(const model::Experiment &experiment);

/// Predicts on the caller's thread (milliseconds for typical plans; seconds for family `auto`, which searches). Fails with
/// InvalidInput and every problem of the plan, and with Cancelled if the options' stop is requested, which is checked between
/// the parts of the prediction.
[[nodiscard]] base::Result<PredictionPtr> predict(const model::Experiment &experiment, int cores,
                                                  const SearchOptions &options = {});
/// Returns critical path, slack and causes of every idle interval of a prediction. O(passes).
[[nodiscard]] base::Result<simulate::Explanation> explain(const Prediction &prediction);
/// Returns the same for a measured timeline of an experiment, with the experiment's costs for messages and collectives. Fails
/// if the passes differ from the experiment's schedule or its order.
[[nodiscard]] base::Result<simulate::Explanation> explain(const model::Experiment &experiment,
                                                          const timeline::Timeline &measured);
/// A plan and its times.
struct TimedPlan {
    const model::Experiment &experiment; ///< resolved
    const schedule::Schedule *schedule;  ///< null: unknown, and so are bytes
    const timeline::Timeline &timeline;
    const simulate::Metrics &metrics;
};
/// Exports a plan for another program: format "chrome-trace" (messages as flows, bytes as counters), "csv" or "json".
[[nodiscard]] base::Result<std::string> exportText(const TimedPlan &plan, const std::string &format);
/// Exports a stored run. Fails if it has no timeline.
[[nodiscard]] base::Result<std::string> exportText(const store::RunRecord &run, const std::string &format);
/// Returns the counterfactual split of a prediction's bubble, by a few more simulations.
[[nodiscard]] simulate::BubbleCauses splitBubble(const Prediction &prediction);
/// Returns the method that helps most, from one prediction for each. Returns a partial result if `stop` is requested.
[[nodiscard]] Advice advise(const Prediction &prediction, int cores, const std::stop_token &stop = {});
/// Returns the bytes that a run of the plan needs on this machine, for all devices together; 0 for an invalid plan.
[[nodiscard]] base::Bytes bytesToTrain(const model::Experiment &experiment);
/// Returns the free memory of this machine; 0 if unknown.
[[nodiscard]] base::Bytes availableBytes();
/// Returns every reason why a resolved plan cannot be trained here now under its schedule, each with its field; empty if it
/// can.
[[nodiscard]] base::Problems trainingProblems(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// The same without what depends on this machine: its backends and its memory.
[[nodiscard]] base::Problems planProblems(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// Measures this machine for the cpu-local preset (about a second) and stores it in the data folder.
[[nodiscard]] base::Result<model::Hardware> calibrate(std::stop_token stop);
[[nodiscard]] bool isCalibrated();
[[nodiscard]] std::vector<BackendInfo> backends();
[[nodiscard]] int machineCores();

/// Jobs on the engine's own threads. Thread-safe. Destruction cancels and joins all jobs.
class EngineService {
public:
    /// `wake` is called on an engine thread when an event is added to an empty mailbox.
    explicit EngineService(const ServiceOptions &options, std::function<void()> wake = {});
    ~EngineService();
    EngineService(const EngineService &) = delete;
    EngineService &operator=(const EngineService &) = delete;

    /// Predicts off the caller's thread; a newer prediction job cancels the older. `withAdvice` adds Advice.
    JobId submitPrediction(model::Experiment experiment, bool withAdvice);
    /// Trains and stores the run. The job owns a copy of the plan.
    JobId submitTraining(model::Experiment experiment, TrainingOptions options = {});
    /// Predicts or trains many plans one after another.
    JobId submitSweep(std::vector<model::Experiment> plans, bool train);
    /// Stores another program's traces as a run.
    JobId submitImport(std::vector<std::filesystem::path> files);
    /// Requests the stop of a job and returns at once; the job's last event reports when it has stopped.
    void cancel(JobId job);
    /// Returns the events since the last call, oldest first; of several snapshots of one run only the latest.
    [[nodiscard]] std::vector<Event> drain();
    /// Waits until no job runs (for the command line).
    void waitIdle();

    /// Runs `work(storedRuns)`, which returns a Result, on the service's thread for the run database, after all earlier
    /// requests. `take` receives the Result when the event is handled. When the service ends, queued changes still run.
    template <class Work, class Take>
    JobId ask(StoreUse use, Work work, Take take);
    /// Runs `work(stop)`, which returns a Result, on one of the service's threads for analyses. `take` receives the Result when
    /// the event is handled. A job that is cancelled before it begins has no result.
    template <class Work, class Take>
    JobId compute(Work work, Take take);
    /// Later jobs and requests use another run database; running ones keep theirs.
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
