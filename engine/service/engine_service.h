// The interface of the engine for the window and the command line: jobs in, immutable snapshots out.
#pragma once

#include "engine/base/exception_text.h"
#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/service/runs/import_job.h"
#include "engine/service/runs/store_queue.h"
#include "engine/service/runs/straggler_job.h"
#include "engine/service/runs/sweep.h"
#include "engine/service/runs/training_job.h"
#include "engine/service/search/advise.h"

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <variant>
#include <vector>

namespace stagelens::service {

using JobId = std::uint64_t;

/// The result of a prediction job.
struct PredictionAnswer {
    base::Result<PredictionPtr> prediction;
    std::optional<Advice> advice; ///< present if requested
};
using PredictionAnswerPtr = std::shared_ptr<const PredictionAnswer>;

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

struct ServiceOptions {
    std::filesystem::path database; ///< empty: the default file
    int cores = 0;                  ///< 0: those of this machine
};

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
    /// Binds `take` to what `work` returns, or to a failure if it throws.
    template <class Work, class Take>
    [[nodiscard]] static StoreAnswer answerOf(const Work &work, const Take &take, const char *failure);

    struct State;
    std::unique_ptr<State> m_state;
};

template <class Work, class Take>
JobId EngineService::ask(StoreUse use, Work work, Take take)
{
    return submitStoreUse(use, [work = std::move(work), take = std::move(take)](StoredRuns &runs) {
        return answerOf([&] { return work(runs); }, take, "the run database was not read");
    });
}

template <class Work, class Take>
JobId EngineService::compute(Work work, Take take)
{
    return submitAnalysis([work = std::move(work), take = std::move(take)](const std::stop_token &stop) {
        return answerOf([&] { return work(stop); }, take, "it was not computed");
    });
}

template <class Work, class Take>
StoreAnswer EngineService::answerOf(const Work &work, const Take &take, const char *failure)
{
    using Answer = decltype(work());
    const auto guarded = [&]() -> Answer {
        try {
            return work();
        } catch (const std::exception &exception) { // out of memory, say
            return base::Error::failed(fmt::format("{}: {}", failure, base::exceptionText(exception)));
        }
    };
    return [take, answer = std::make_shared<Answer>(guarded())] { take(std::move(*answer)); };
}

} // namespace stagelens::service
