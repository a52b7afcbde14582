#include "engine/service/runs/training_job.h"

#include "engine/base/log.h"
#include "engine/base/progress_log.h"
#include "engine/base/text.h"
#include "engine/operators/sizes.h"
#include "engine/schedule/check/validator.h"
#include "engine/service/environment.h"
#include "engine/service/processes.h"
#include "engine/service/runs/other_machine.h"
#include "engine/service/runs/run_writer.h"
#include "engine/service/schedule_plan.h"

#include "engine/runtime/state/checkpoint.h"
#include "engine/runtime/state/run_folders.h"
#include "engine/runtime/training_run.h"
#include "engine/runtime/worker/accelerators.h"
#include "engine/runtime/worker/worker.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace stagelens::service {
namespace {

using Clock = std::chrono::steady_clock;

/// The first steps warm caches and pages; medians leave them out where there are more.
constexpr std::size_t kWarmUpSteps = 2;
/// Timelines kept in memory to choose the median step from, in slices; steps beyond are not candidates.
constexpr std::size_t kKeptSlices = 4'000'000;
constexpr auto kStoreInterval = std::chrono::seconds(5);

/// The run's state, its store and its audience. One thread at a time calls it.
class TrainingJob {
public:
    TrainingJob(const model::Experiment &experiment, const TrainingOptions &options, const std::filesystem::path &database,
                int cores, std::stop_token stop, const std::function<void(RunSnapshotPtr)> &publish)
        : m_options(options), m_folders{options.dump, options.init}, m_database(database), m_cores(cores),
          m_stop(std::move(stop)), m_publish(publish), m_writer(database, m_stop, options.mostWaiting)
    {
        m_snapshot.record.experiment = experiment;
        m_snapshot.steps = experiment.training.steps;
        m_folders.recordsKernels = options.recordsKernels;
    }

    void run() { finish(prepareAndTrain()); }

private:
    base::Result<> prepareAndTrain()
    {
        model::Experiment &experiment = m_snapshot.record.experiment;
        if (auto connected = connect(experiment); !connected)
            return connected;
        const auto chosen = withChosenSchedule(experiment, m_remote ? Purpose::Predict : Purpose::Train, {m_stop, {}});
        if (!chosen)
            return chosen.error();
        auto plan = planOf(chosen->experiment, m_cores, m_stop);
        if (!plan)
            return std::move(plan).error();
        experiment = std::move(plan->experiment);
        const std::string file = experiment.schedule.file;
        if (auto kept = keepScheduleText(experiment, std::move(plan->source)); !kept)
            return kept;
        if (!file.empty())
            m_snapshot.record.environment["schedule file"] = std::filesystem::absolute(file).lexically_normal().string();
        if (base::Problems problems =
                m_remote ? planProblems(experiment, plan->schedule) : trainingProblems(experiment, plan->schedule);
            !problems.empty())
            return base::Error::invalid(std::move(problems));
        if (auto found = findCheckpoint(); !found)
            return found;
        m_snapshot.schedule = std::make_shared<const schedule::Schedule>(std::move(plan->schedule));
        m_snapshot.passCount = m_snapshot.schedule->passCount();
        const bool isOnGpu = experiment.training.backend != "cpu";
        if (const auto hardware = model::hardwarePreset("cpu-local"); hardware && !isOnGpu && !m_remote)
            m_peakFlops = hardware->peakFlops;
        if (!isFirst()) {
            publish();
            return runtime::train(experiment, *m_snapshot.schedule, m_folders, {}, m_stop, transport());
        }
        openStore();
        publish();
        const runtime::TrainingObserver observer{
            [this](const runtime::StepReport &report) { onStep(report); },
            [this](const runtime::Progress &progress) { onProgress(progress); },
            [this](const runtime::Evaluation &evaluation) { onEvaluation(evaluation); },
            [this](int steps, const base::Result<> &written) { onCheckpoint(steps, written); }};
        m_started = Clock::now();
        if (m_remote)
            return trainThere(observer);
        // A fault that a GPU's process cannot forget shall end no other run, and not the window.
        if (isOnGpu && !m_options.processes)
            return runtime::trainInWorker(experiment, *m_snapshot.schedule, m_folders, observer, m_stop, m_options.isOverNccl);
        return runtime::train(experiment, *m_snapshot.schedule, m_folders, observer, m_stop, transport());
    }

    /// Connects to the other machine, if one is chosen.
    base::Result<> connect(model::Experiment &experiment)
    {
        if (m_options.host.host.empty())
            return {};
        m_snapshot.connecting = m_options.host.host;
        publish();
        m_snapshot.connecting.clear();
        auto connected = OtherMachine::connect(m_options, experiment, m_stop);
        if (!connected)
            return std::move(connected).error();
        m_remote = *std::move(connected);
        m_cores = m_remote->cores();
        m_peakFlops = m_remote->peakFlops();
        return {};
    }

    /// A run whose connection is lost counts as interrupted.
    base::Result<> trainThere(const runtime::TrainingObserver &observer)
    {
        const runtime::RemoteOutcome ended = m_remote->train(
            {m_snapshot.record.experiment, *m_snapshot.schedule, m_folders, m_options.isOverNccl}, observer, m_stop);
        m_isConnectionLost = ended.isConnectionLost;
        return ended.outcome;
    }

    [[nodiscard]] runtime::TransportOptions transport() const { return {m_options.processes, m_options.isOverNccl}; }

    /// Of several processes the first one stores the run.
    [[nodiscard]] bool isFirst() const { return !m_options.processes || m_options.processes->isFirst(); }

    /// Looks at the checkpoint to go on from, before a run is stored that could not begin.
    base::Result<> findCheckpoint()
    {
        if (!m_options.resume)
            return {};
        if (isFirst()) {
            const auto store = store::RunStore::open(m_database);
            if (const auto ours = store ? store->checkpoints().requireOurs(*m_options.resume) : store.error(); !ours)
                return ours;
        }
        m_folders.resume = store::CheckpointFolders::folderOf(store::RunStore::placeOf(m_database), *m_options.resume);
        const auto checkpoint = runtime::newestCheckpoint(m_folders.resume);
        if (!checkpoint)
            return checkpoint.error();
        store::RunRecord &record = m_snapshot.record;
        if (base::Problems problems = runtime::resumeProblems(*checkpoint, record.experiment); !problems.empty())
            return base::Error::invalid(std::move(problems));
        record.losses = checkpoint->losses;
        record.summary.resumed = m_options.resume;
        record.summary.resumedSteps = checkpoint->steps();
        m_snapshot.step = checkpoint->steps();
        m_checkpointNote = checkpoint->note;
        if (!m_checkpointNote.empty() && isFirst())
            base::log(base::LogLevel::Warning, m_checkpointNote);
        return {};
    }

    /// A database that cannot be written never stops a run: what it does not take waits, and the snapshot says so.
    void openStore()
    {
        store::RunRecord &record = m_snapshot.record;
        record.environment.merge(m_remote ? m_remote->facts(record.experiment.training.backend) : environment());
        record.environment["backend"] = record.experiment.training.backend;
        record.environment["precision"] = base::name(operators::enginePrecision(record.experiment));
        record.environment["data"] = record.experiment.training.data;
        if (const auto remark = schedule::accumulationOrder(*m_snapshot.schedule))
            record.environment["gradient order"] = schedule::text(*remark);
        if (record.experiment.training.backend != "cpu" && !m_remote)
            noteGpus();
        record.environment.merge(travelFacts(m_options));
        if (!m_checkpointNote.empty())
            record.environment["checkpoint"] = m_checkpointNote;
        const auto kind = model::runMode(record.experiment, m_cores) == model::RunMode::Live
                              ? timeline::Provenance::MeasuredLive
                              : timeline::Provenance::MeasuredVirtualClock;
        store::RunSummary &summary = record.summary;
        summary.kind = kind;
        summary.family = record.experiment.schedule.family;
        summary.vocabulary = record.experiment.schedule.vocabulary;
        summary.devices = record.experiment.parallel.devices;
        summary.microbatches = record.experiment.parallel.microbatches;
        summary.vocabularySize = record.experiment.model.vocabularySize;
        summary.stepsPlanned = record.experiment.training.steps;
        summary.startedUnixMs =
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
        m_writer.begin([this, kind, name = summary.name, facts = record.environment](store::RunStore &store) {
            const auto id = store.begin(m_snapshot.record.experiment, kind, name, facts);
            if (id && m_options.checkpointEvery > 0)
                makeCheckpointFolder(store.checkpoints(), *id);
            return id;
        });
        noteStored();
        if (summary.resumed)
            write([resumed = *summary.resumed, losses = record.losses](store::RunStore &store, store::RunId run) {
                return store.setBeginning(run, resumed, losses);
            });
        if (summary.id == 0 && m_options.checkpointEvery > 0)
            onCheckpoint(m_snapshot.step, base::Error::failed("the run has no number yet; " + m_snapshot.storeProblem));
    }

    /// Before the training begins or between its steps, on the thread that writes the checkpoints.
    void makeCheckpointFolder(const store::CheckpointFolders &folders, store::RunId run)
    {
        if (const auto made = folders.make(run); !made)
            return onCheckpoint(m_snapshot.step, made);
        m_folders.checkpoints = store::CheckpointFolders::folderOf(store::RunStore::placeOf(m_database), run);
        m_folders.checkpointEvery = m_options.checkpointEvery;
    }

    void noteGpus()
    {
        store::RunRecord &record = m_snapshot.record;
        const runtime::GpuList found = runtime::gpus();
        record.environment["gpus"] = runtime::gpusText(found.gpus);
        record.environment["devices"] = runtime::mappingText(
            found.gpus, record.experiment.parallel.devices, model::runMode(record.experiment, m_cores) == model::RunMode::Live);
    }

    void onEvaluation(const runtime::Evaluation &evaluation)
    {
        store::RunRecord &record = m_snapshot.record;
        record.evaluations.push_back({evaluation.steps, evaluation.loss});
        record.summary.evaluationLoss = evaluation.loss;
        write([last = record.evaluations.back()](store::RunStore &store, store::RunId run) {
            return store.addEvaluation(run, last);
        });
        publish();
    }

    void onCheckpoint(int steps, const base::Result<> &written)
    {
        m_snapshot.checkpointProblem =
            written ? std::string() : base::concat("there is no checkpoint after step ", steps, ": ", written.error().text());
        if (!written)
            base::log(base::LogLevel::Warning, m_snapshot.checkpointProblem + "; training goes on");
    }

    void write(RunWriter::Change change)
    {
        m_writer.write(std::move(change));
        noteStored();
        while (m_writer.isFull() && !m_stop.stop_requested()) {
            if (!std::exchange(m_snapshot.waitsForStore, true))
                publish();
            m_writer.tryAgain();
            noteStored();
        }
        m_snapshot.waitsForStore = false;
    }

    void noteStored()
    {
        m_snapshot.record.summary.id = m_writer.run();
        m_snapshot.storeProblem = m_writer.problem();
        m_snapshot.stored = m_snapshot.storeProblem.empty();
    }

    void onStep(const runtime::StepReport &report)
    {
        store::RunRecord &record = m_snapshot.record;
        record.losses.push_back(report.loss);
        record.iterations.push_back(report.iteration);
        record.timeline = report.timeline;
        record.metrics = metricsOf(*report.timeline, report.peakMemory, report.peakHost);
        if (m_keptSlices < kKeptSlices || m_kept.empty()) {
            m_kept.push_back(
                {report.iteration, report.timeline, report.peakMemory, report.peakHost, record.iterations.size() - 1});
            m_keptSlices += report.timeline->sliceCount();
        }
        m_snapshot.step = report.step + 1;
        m_snapshot.passesDone = 0;
        m_snapshot.kernels = report.kernels;
        m_snapshot.kernelTimeline = report.kernels ? report.timeline : nullptr;
        noteFacts(report.facts);
        summarize();
        storeStep(report);
        if (Clock::now() - m_lastStored > kStoreInterval) {
            m_lastStored = Clock::now();
            m_writer.writeIfUpToDate(shownTimeline());
            noteStored();
        }
        publish();
    }

    /// What a step has found out about the measurement.
    void noteFacts(const std::map<std::string, std::string> &facts)
    {
        store::RunRecord &record = m_snapshot.record;
        for (const auto &[name, text] : facts) {
            std::string &known = record.environment[name];
            if (known == text)
                continue;
            known = text;
            write([name = name, text = text](store::RunStore &store, store::RunId run) {
                return store.setFact(run, name, text);
            });
        }
    }

    void storeStep(const runtime::StepReport &report)
    {
        m_storedSlices += report.timeline->sliceCount();
        const auto figures = [step = report.step, loss = report.loss,
                              iteration = report.iteration](store::RunStore &store, store::RunId run, const auto &...rest) {
            return store.addStep(run, step, loss, iteration, rest...);
        };
        if (m_storedSlices > kStoredSlices)
            write(figures);
        else
            write([figures, timeline = report.timeline, metrics = *m_snapshot.record.metrics](
                      store::RunStore &store, store::RunId run) { return figures(store, run, *timeline, metrics); });
    }

    void onProgress(const runtime::Progress &progress)
    {
        m_snapshot.passesDone = progress.passesDone;
        m_snapshot.passCount = progress.passCount;
        if (Clock::now() - m_lastPublished >= base::kProgressInterval)
            publish();
    }

    [[nodiscard]] simulate::Metrics metricsOf(const timeline::Timeline &timeline,
                                              const std::vector<simulate::MemoryByCategory> &peakMemory,
                                              const std::vector<base::Bytes> &peakHost) const
    {
        simulate::Metrics metrics =
            simulate::computeMetrics(m_snapshot.record.experiment, *m_snapshot.schedule, timeline, nullptr, m_peakFlops);
        metrics.peakMemoryByCategory = peakMemory;
        metrics.peakHost = peakHost;
        metrics.peakMemory.clear();
        for (const simulate::MemoryByCategory &bytes : peakMemory)
            metrics.peakMemory.push_back(simulate::MemoryStep{0, bytes}.total());
        return metrics;
    }

    /// Puts the median step's timeline and figures into the record, and the summary's figures from it.
    void showMedianStep()
    {
        if (m_kept.empty())
            return;
        std::vector<const Kept *> candidates;
        for (const Kept &kept : m_kept)
            if (kept.step >= kWarmUpSteps || m_kept.size() <= kWarmUpSteps)
                candidates.push_back(&kept);
        const auto middle = candidates.begin() + static_cast<std::ptrdiff_t>((candidates.size() - 1) / 2);
        std::ranges::nth_element(candidates, middle, {}, [](const Kept *kept) { return kept->iteration; });
        m_snapshot.record.timeline = (*middle)->timeline;
        m_snapshot.record.metrics = metricsOf(*(*middle)->timeline, (*middle)->peakMemory, (*middle)->peakHost);
        summarize();
    }

    void summarize()
    {
        store::RunRecord &record = m_snapshot.record;
        store::RunSummary &summary = record.summary;
        summary.stepsDone = static_cast<int>(record.losses.size());
        if (!record.losses.empty()) {
            summary.firstLoss = record.losses.front();
            summary.lastLoss = record.losses.back();
        }
        if (!record.metrics)
            return;
        summary.iteration = record.metrics->iteration;
        summary.bubbleRatio = record.metrics->bubbleRatio;
        summary.tokensPerSecond = record.metrics->tokensPerSecond;
        if (!record.metrics->peakMemory.empty())
            summary.peakMemory = *std::ranges::max_element(record.metrics->peakMemory);
    }

    /// Stores what the record shows now.
    [[nodiscard]] RunWriter::Change shownTimeline() const
    {
        const store::RunRecord &record = m_snapshot.record;
        return [timeline = record.timeline, metrics = *record.metrics](store::RunStore &store, store::RunId run) {
            return store.setTimeline(run, *timeline, metrics);
        };
    }

    void finish(const base::Result<> &outcome)
    {
        store::RunSummary &summary = m_snapshot.record.summary;
        showMedianStep();
        summary.status = store::RunStatus::Finished;
        if (!outcome) {
            const base::Error &error = outcome.error();
            const bool cancelled = error.kind == base::ErrorKind::Cancelled;
            summary.status = cancelled            ? store::RunStatus::Cancelled
                             : m_isConnectionLost ? store::RunStatus::Interrupted
                                                  : store::RunStatus::Failed;
            summary.reason =
                cancelled ? base::concat("stopped after ", m_snapshot.step, " of ", m_snapshot.steps, " steps") : error.text();
            if (!cancelled)
                m_snapshot.error = error;
        }
        if (m_snapshot.record.timeline && m_snapshot.record.metrics)
            m_writer.write(shownTimeline());
        m_writer.finish(summary.status, summary.reason);
        noteStored();
        if (!m_snapshot.stored)
            publish(); // before the wait
        m_writer.settle();
        noteStored();
        if (!outcome && outcome.error().kind == base::ErrorKind::InvalidInput && m_snapshot.record.iterations.empty())
            forget();
        m_snapshot.finished = true;
        publish();
    }

    /// A run that was refused before it began is none; a row that cannot be removed stays as one that failed.
    void forget()
    {
        if (m_writer.remove())
            m_snapshot.record.summary.id = 0;
    }

    void publish()
    {
        m_lastPublished = Clock::now();
        if (m_started != Clock::time_point{}) {
            m_snapshot.secondsElapsed = std::chrono::duration<double>(m_lastPublished - m_started).count();
            const double done = m_snapshot.step + (m_snapshot.passCount == 0 ? 0.0
                                                                             : static_cast<double>(m_snapshot.passesDone) /
                                                                                   static_cast<double>(m_snapshot.passCount));
            const double own = done - m_snapshot.record.summary.resumedSteps;
            if (own > 0)
                m_snapshot.secondsLeft = m_snapshot.secondsElapsed / own * (m_snapshot.steps - done);
        }
        m_publish(std::make_shared<const RunSnapshot>(m_snapshot));
    }

    /// A step that may turn out to be the median.
    struct Kept {
        base::Nanos iteration;
        timeline::TimelinePtr timeline;
        std::vector<simulate::MemoryByCategory> peakMemory;
        std::vector<base::Bytes> peakHost;
        std::size_t step; ///< of those that this run does
    };

    const TrainingOptions &m_options;
    runtime::RunFolders m_folders;
    std::filesystem::path m_database;
    int m_cores;
    std::stop_token m_stop;
    const std::function<void(RunSnapshotPtr)> &m_publish;
    RunWriter m_writer;
    std::optional<OtherMachine> m_remote; ///< nothing: this machine trains
    bool m_isConnectionLost = false;
    std::string m_checkpointNote; ///< of the one that the run resumes from
    RunSnapshot m_snapshot;
    std::vector<Kept> m_kept;
    std::size_t m_keptSlices = 0;
    std::size_t m_storedSlices = 0;
    double m_peakFlops = 0;
    Clock::time_point m_started;
    Clock::time_point m_lastPublished;
    Clock::time_point m_lastStored = Clock::now();
};

} // namespace

void runTraining(const model::Experiment &experiment, const TrainingOptions &options, const std::filesystem::path &database,
                 int cores, std::stop_token stop, const std::function<void(RunSnapshotPtr)> &publish)
{
    TrainingJob(experiment, options, database, cores, std::move(stop), publish).run();
}

} // namespace stagelens::service
