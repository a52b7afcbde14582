#include "engine/service/runs/training_job.h"

#include "engine/base/log.h"
#include "engine/base/process_mark.h"
#include "engine/base/text.h"
#include "engine/model/calibration.h"
#include "engine/operators/sizes.h"
#include "engine/schedule/check/validator.h"
#include "engine/service/machine/environment.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/service/plans/training_check.h"
#include "engine/service/runs/other_machine.h"
#include "engine/service/runs/run_recorder.h"
#include "engine/service/search/schedule_search.h"
#include "engine/store/reason_file.h"

#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/training/checkpoint.h"
#include "engine/runtime/training/training_run.h"
#include "engine/runtime/worker/worker.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

namespace stagelens::service {
namespace {

/// Returns what a run computes in: "fp32", "bf16", "bf16, emulated on processors", or "fp8, emulated on GPUs".
std::string precisionText(const model::Experiment &experiment)
{
    const model::DataType type = experiment.model.dtype;
    const bool isOnGpus = experiment.training.backend == "cuda";
    const bool isEmulated = isOnGpus ? type == model::DataType::Fp8 : type != model::DataType::Fp32;
    return fmt::format("{}{}", model::name(type),
                       !isEmulated ? ""
                       : isOnGpus  ? ", emulated on GPUs"
                                   : ", emulated on processors");
}

/// Prepares and trains a plan.
class TrainingJob {
public:
    TrainingJob(const model::Experiment &experiment, const TrainingOptions &options, const std::filesystem::path &database,
                int cores, std::stop_token stop, const std::function<void(RunSnapshotPtr)> &publish)
        : m_options(options), m_folders{options.dump, options.init}, m_database(database), m_cores(cores),
          m_stop(std::move(stop)), m_recorder(experiment, database, options.mostWaiting, m_stop, publish)
    {
        m_folders.recordsKernels = options.recordsKernels;
        if (options.processes) // all must agree on it, whether the first can store the run yet or not
            m_folders.checkpointEvery = options.checkpointEvery;
    }

    void run()
    {
        const base::Result<> outcome = prepareAndTrain();
        m_recorder.finish(outcome, m_isConnectionLost);
        m_onLoss.reset();
        if (m_reason && m_snapshot.stored) // else the next opening of the database stores it
            m_reason->remove();
    }

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
        *plan = trained(*std::move(plan));
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
        // The peak of a GPU is that of bf16.
        if (const auto hardware = model::hardwarePreset(isOnGpu ? model::kLocalGpu : model::kLocalProcessor);
            hardware && !m_remote && (!isOnGpu || experiment.model.dtype == model::DataType::Bf16))
            m_recorder.setPeakFlops(hardware->peakFlops);
        if (!isFirst()) {
            m_recorder.publish();
            return runtime::train(experiment, *m_snapshot.schedule, m_folders, {}, m_stop, transport());
        }
        noteLosses();
        openStore();
        m_recorder.publish();
        const runtime::TrainingObserver observer{
            [this](const runtime::StepReport &report) { m_recorder.onStep(report); },
            [this](const runtime::Progress &progress) { m_recorder.onProgress(progress); },
            [this](const runtime::Evaluation &evaluation) { m_recorder.onEvaluation(evaluation); },
            [this](int steps, const base::Result<> &written) { m_recorder.onCheckpoint(steps, written); }};
        m_recorder.start();
        if (m_remote)
            return trainThere(observer);
        // After some faults a process cannot use its GPU again, so a worker process trains: other runs and the window continue.
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
        m_recorder.publish();
        m_snapshot.connecting.clear();
        auto connected = OtherMachine::connect(m_options, experiment, m_stop);
        if (!connected)
            return std::move(connected).error();
        m_remote = *std::move(connected);
        m_cores = m_remote->cores();
        m_recorder.setPeakFlops(m_remote->peakFlops());
        return {};
    }

    /// Trains on the other machine.
    base::Result<> trainThere(const runtime::TrainingObserver &observer)
    {
        const runtime::RemoteOutcome ended = m_remote->train(
            {m_snapshot.record.experiment, *m_snapshot.schedule, m_folders, m_options.isOverNccl}, observer, m_stop);
        m_isConnectionLost = ended.isConnectionLost;
        return ended.outcome;
    }

    [[nodiscard]] runtime::TransportOptions transport() const { return {m_options.processes, m_options.isOverNccl}; }

    /// Returns whether this process stores the run: the first of several does.
    [[nodiscard]] bool isFirst() const { return !m_options.processes || m_options.processes->isFirst(); }

    /// Reads the checkpoint to resume from. Runs first, so that a run that cannot resume is not stored.
    base::Result<> findCheckpoint()
    {
        if (!m_options.resume)
            return {};
        m_folders.resume = store::CheckpointFolders::folderOf(store::RunStore::placeOf(m_database), *m_options.resume);
        if (!isFirst())
            return {}; // the first process reads the files
        const auto store = store::RunStore::open(m_database);
        if (const auto ours = store ? store->checkpoints().requireOurs(*m_options.resume) : store.error(); !ours)
            return ours;
        const auto checkpoint = runtime::newestCheckpoint(m_folders.resume);
        if (!checkpoint)
            return checkpoint.error();
        store::RunRecord &record = m_snapshot.record;
        if (base::Problems problems = runtime::resumeProblems(*checkpoint, record.experiment); !problems.empty())
            return base::Error::invalid(std::move(problems));
        record.losses = checkpoint->losses;
        if (checkpoint->lossScale)
            record.skipped = checkpoint->lossScale->skipped;
        record.summary.resumed = m_options.resume;
        record.summary.resumedSteps = checkpoint->steps();
        m_snapshot.step = checkpoint->steps();
        m_checkpointNote = checkpoint->note;
        if (!m_checkpointNote.empty())
            base::log(base::LogLevel::Warning, m_checkpointNote);
        return {};
    }

    /// From now on keeps the reason of the loss of a process at once, while this one may still wait for a pass or for the disk:
    /// mpirun kills it 2 s after the loss.
    void noteLosses()
    {
        if (!m_options.processes)
            return;
        m_reason.emplace(store::RunStore::placeOf(m_database), base::ownProcess());
        m_onLoss.emplace(m_options.processes->broken(), [this] {
            if (const auto why = m_options.processes->failure(); why && why->kind != base::ErrorKind::Cancelled)
                m_reason->write(why->text());
        });
    }

    /// Fills the record of the run and begins it in the store.
    void openStore()
    {
        store::RunRecord &record = m_snapshot.record;
        record.environment.merge(m_remote ? m_remote->facts(record.experiment.training.backend) : environment());
        record.environment["backend"] = record.experiment.training.backend;
        record.environment["precision"] = precisionText(record.experiment);
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
        m_recorder.beginStored([this, kind, name = summary.name, facts = record.environment](store::RunStore &store) {
            const auto id = store.edit().begin(m_snapshot.record.experiment, kind, name, facts);
            if (id && m_options.checkpointEvery > 0)
                makeCheckpointFolder(store.checkpoints(), *id);
            return id;
        });
        if (summary.resumed)
            m_recorder.write([resumed = *summary.resumed, losses = record.losses,
                              skipped = record.skipped](store::RunEditor &runs, store::RunId run) {
                return runs.setBeginning(run, resumed, losses, skipped);
            });
        if (summary.id == 0 && m_options.checkpointEvery > 0)
            m_recorder.onCheckpoint(m_snapshot.step,
                                    base::Error::failed("the run has no number yet; " + m_snapshot.storeProblem));
    }

    /// Called before the training begins or between its steps, on the thread that writes the checkpoints.
    void makeCheckpointFolder(const store::CheckpointFolders &folders, store::RunId run)
    {
        if (const auto made = folders.make(run); !made)
            return m_recorder.onCheckpoint(m_snapshot.step, made);
        m_folders.checkpoints = store::CheckpointFolders::folderOf(store::RunStore::placeOf(m_database), run);
        m_folders.checkpointEvery = m_options.checkpointEvery;
    }

    void noteGpus()
    {
        store::RunRecord &record = m_snapshot.record;
        const runtime::GpuList found = runtime::gpus();
        record.environment["gpus"] = runtime::gpusText(found.gpus);
        record.environment["devices"] = runtime::mappingText(
            found.gpus, static_cast<int>(record.experiment.parallel.ranks(record.experiment.parallel.devices)),
            model::runMode(record.experiment, m_cores) == model::RunMode::Live);
    }

    const TrainingOptions &m_options;
    runtime::RunFolders m_folders;
    std::filesystem::path m_database;
    int m_cores;
    std::stop_token m_stop;
    RunRecorder m_recorder;
    RunSnapshot &m_snapshot = m_recorder.snapshot();
    std::optional<OtherMachine> m_remote; ///< absent: this machine trains
    bool m_isConnectionLost = false;
    std::string m_checkpointNote;                                      ///< of the one that the run resumes from
    std::optional<store::ReasonFile> m_reason;                         ///< of the first of several processes
    std::optional<std::stop_callback<std::function<void()>>> m_onLoss; ///< after m_reason, which it writes
};

} // namespace

void runTraining(const model::Experiment &experiment, const TrainingOptions &options, const std::filesystem::path &database,
                 int cores, std::stop_token stop, const std::function<void(RunSnapshotPtr)> &publish)
{
    TrainingJob(experiment, options, database, cores, std::move(stop), publish).run();
}

} // namespace stagelens::service
