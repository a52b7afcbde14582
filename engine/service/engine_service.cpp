#include "engine/service/engine_service.h"

#include "engine/base/exception_text.h"
#include "engine/base/heap.h"
#include "engine/base/mailbox.h"
#include "engine/service/work_queue.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

namespace stagelens::service {

namespace {
constexpr std::size_t kLargePlan = 100'000; ///< slices, above which a prediction's memory is worth giving back
/// Time without a request before freed memory is returned. By then the window has dropped the previous plan.
constexpr std::chrono::milliseconds kRest{300};
} // namespace

/// Predictions run on one thread: only the newest request runs. Everything that takes long (training, sweeps, imports) has its
/// own thread.
struct EngineService::State {
    State(const ServiceOptions &given, std::function<void()> wake)
        : cores(given.cores > 0 ? given.cores : machineCores()), mailbox(std::move(wake)), queue(given.database)
    {
        base::keepLargeBlocksApart();
        predictor = std::jthread([this](std::stop_token stop) { predictForever(std::move(stop)); });
    }

    struct PredictionRequest {
        JobId job;
        model::Experiment experiment;
        bool withAdvice;
    };
    struct Worker {
        JobId job;
        std::jthread thread;
        bool done = false;
    };

    JobId newJob()
    {
        const std::scoped_lock lock(mutex);
        return ++lastJob;
    }

    /// Runs `work(job, stop)` on a thread of its own.
    template <class Work>
    JobId start(Work work)
    {
        const std::scoped_lock lock(mutex);
        workers.remove_if([](const Worker &worker) { return worker.done; }); // they have nothing left to lock
        const JobId job = ++lastJob;
        Worker &worker = workers.emplace_back();
        worker.job = job;
        try {
            worker.thread = std::jthread([this, job, work = std::move(work)](std::stop_token stop) {
                work(job, std::move(stop));
                const std::scoped_lock ended(mutex);
                for (Worker &each : workers) // none when the service ends
                    if (each.job == job)
                        each.done = true;
                noteFreed();
            });
        } catch (const std::system_error &) { // an entry without a thread would never end
            workers.pop_back();
            throw;
        }
        return job;
    }

    /// Of work that has read large plans, with the mutex locked: its memory is returned after a rest.
    void noteFreed()
    {
        hasFreed = hasFreed || isPlanLarge;
        changed.notify_all();
    }

    void predictForever(std::stop_token stop)
    {
        const auto isAsked = [this] { return request.has_value(); };
        for (;;) {
            std::unique_lock lock(mutex);
            if (!changed.wait(lock, stop, [&] { return isAsked() || hasFreed; }) || stop.stop_requested())
                return;
            if (!isAsked() && !changed.wait_for(lock, stop, kRest, isAsked)) {
                hasFreed = false;
                lock.unlock();
                base::returnFreedMemory();
                continue;
            }
            const PredictionRequest taken = *std::exchange(request, std::nullopt);
            predicting = taken.job;
            predictionStop = {};
            const SearchOptions search{predictionStop.get_token(), {}};
            lock.unlock();
            auto answer = std::make_shared<PredictionAnswer>(PredictionAnswer{guarded(taken, search), std::nullopt});
            if (answer->prediction && taken.withAdvice)
                answer->advice = advise(**answer->prediction, cores, search.stop);
            const bool isLarge = answer->prediction && (*answer->prediction)->timeline->sliceCount() > kLargePlan;
            lock.lock();
            hasFreed = hasFreed || isLarge || isPlanLarge; // the one before is freed too
            isPlanLarge = isLarge;
            predicting = 0;
            // A newer request makes this answer stale, so it is not reported.
            const bool stale = request.has_value() || cancelledPrediction == taken.job;
            lock.unlock();
            if (!stale)
                mailbox.post({taken.job, PredictionAnswerPtr(std::move(answer))});
            changed.notify_all();
        }
    }

    [[nodiscard]] base::Result<PredictionPtr> guarded(const PredictionRequest &taken, const SearchOptions &search) const
    {
        try {
            return predict(taken.experiment, cores, search);
        } catch (const std::exception &exception) {
            return base::Error::failed("the prediction failed: " + base::exceptionText(exception));
        }
    }

    void train(JobId job, const model::Experiment &experiment, const TrainingOptions &given,
               const std::filesystem::path &database, std::stop_token stop)
    {
        const auto publish = [this, job](RunSnapshotPtr snapshot) { mailbox.post({job, std::move(snapshot)}); };
        try {
            runTraining(experiment, given, database, cores, std::move(stop), publish);
        } catch (const std::exception &exception) {
            RunSnapshot failed;
            failed.record.experiment = experiment;
            failed.record.summary.status = store::RunStatus::Failed;
            failed.error = base::Error::failed("the run ended: " + base::exceptionText(exception));
            failed.finished = true;
            publish(std::make_shared<const RunSnapshot>(std::move(failed)));
        }
    }

    void importTraces(JobId job, const std::vector<std::filesystem::path> &files, const std::filesystem::path &database,
                      const std::stop_token &stop)
    {
        auto answer = [&]() -> base::Result<ImportedRun> {
            try {
                return importMeasured(files, database, stop, [&](double share) { mailbox.post({job, ImportProgress{share}}); });
            } catch (const std::exception &exception) { // out of memory, say
                return base::Error::failed("the import failed: " + base::exceptionText(exception));
            }
        }();
        mailbox.post({job, std::make_shared<const base::Result<ImportedRun>>(std::move(answer))});
    }

    int cores;
    base::Mailbox<Event> mailbox;
    std::mutex mutex;
    std::condition_variable_any changed;
    JobId lastJob = 0;
    std::optional<PredictionRequest> request;
    JobId cancelledPrediction = 0;
    JobId predicting = 0;            ///< the running job; 0: none
    std::stop_source predictionStop; ///< of the running prediction, which a newer request makes stale
    bool isPlanLarge = false;        ///< that of the newest prediction
    bool hasFreed = false;           ///< memory was freed and not yet returned to the system
    std::list<Worker> workers;
    StoreQueue queue;
    WorkQueue analyses;
    std::jthread predictor;
};

EngineService::EngineService(const ServiceOptions &options, std::function<void()> wake)
    : m_state(std::make_unique<State>(options, std::move(wake)))
{}

EngineService::~EngineService()
{
    m_state->predictor.request_stop();
    std::list<State::Worker> running;
    {
        const std::scoped_lock lock(m_state->mutex);
        m_state->predictionStop.request_stop();
        running.swap(m_state->workers);
    }
    for (State::Worker &worker : running)
        worker.thread.request_stop();
    running.clear(); // joins
}

JobId EngineService::submitPrediction(model::Experiment experiment, bool withAdvice)
{
    const std::scoped_lock lock(m_state->mutex);
    const JobId job = ++m_state->lastJob;
    m_state->request = State::PredictionRequest{job, std::move(experiment), withAdvice};
    m_state->predictionStop.request_stop();
    m_state->changed.notify_all();
    return job;
}

JobId EngineService::submitTraining(model::Experiment experiment, TrainingOptions options)
{
    return m_state->start([state = m_state.get(), plan = std::move(experiment), given = std::move(options),
                           database = databaseFile()](JobId job, std::stop_token stop) {
        state->train(job, plan, given, database, std::move(stop));
    });
}

JobId EngineService::submitSweep(std::vector<model::Experiment> plans, bool train)
{
    return m_state->start(
        [state = m_state.get(), all = std::move(plans), train, database = databaseFile()](JobId job, std::stop_token stop) {
            runSweep(all, train, database, state->cores, std::move(stop), [&](SweepSnapshotPtr snapshot) {
                state->mailbox.post({job, std::move(snapshot)});
            });
        });
}

JobId EngineService::submitImport(std::vector<std::filesystem::path> files)
{
    return m_state->start([state = m_state.get(), all = std::move(files), database = databaseFile()](
                              JobId job, const std::stop_token &stop) { state->importTraces(job, all, database, stop); });
}

void EngineService::cancel(JobId job)
{
    const std::scoped_lock lock(m_state->mutex);
    if (m_state->request && m_state->request->job == job)
        m_state->request.reset();
    m_state->cancelledPrediction = job;
    m_state->analyses.cancel(job);
    if (m_state->predicting == job)
        m_state->predictionStop.request_stop();
    for (State::Worker &worker : m_state->workers)
        if (worker.job == job)
            worker.thread.request_stop();
}

std::vector<Event> EngineService::drain()
{
    std::vector<Event> events = m_state->mailbox.drain();
    std::vector<Event> latest;
    for (auto event = events.rbegin(); event != events.rend(); ++event)
        if (std::ranges::find(latest, event->job, &Event::job) == latest.end())
            latest.push_back(std::move(*event));
    std::ranges::reverse(latest);
    return latest;
}

void EngineService::waitIdle()
{
    std::unique_lock lock(m_state->mutex);
    m_state->changed.wait(lock, [this] {
        return !m_state->request && m_state->predicting == 0 &&
               std::ranges::all_of(m_state->workers, [](const State::Worker &worker) { return worker.done; });
    });
}

JobId EngineService::submitStoreUse(StoreUse use, std::function<StoreAnswer(StoredRuns &)> work)
{
    const JobId job = m_state->newJob();
    m_state->queue.add(use, [state = m_state.get(), job, work = std::move(work)](StoredRuns &runs) {
        state->mailbox.post({job, work(runs)});
    });
    return job;
}

JobId EngineService::submitAnalysis(std::function<StoreAnswer(const std::stop_token &)> work)
{
    const JobId job = m_state->newJob();
    m_state->analyses.add(job, [state = m_state.get(), job, work = std::move(work)](const std::stop_token &stop) {
        state->mailbox.post({job, work(stop)});
        const std::scoped_lock lock(state->mutex);
        state->noteFreed();
    });
    return job;
}

void EngineService::useDatabase(std::filesystem::path file)
{
    m_state->queue.useDatabase(std::move(file));
}

std::filesystem::path EngineService::databaseFile() const
{
    return m_state->queue.file();
}

} // namespace stagelens::service
