// The record of a run that trains: what its steps report goes into the store and into the snapshots that are published.
#pragma once

#include "engine/runtime/training/training_run.h"
#include "engine/service/runs/run_writer.h"
#include "engine/service/runs/training_job.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::service {

/// One thread at a time calls it.
class RunRecorder {
public:
    /// `mostWaiting`: see TrainingOptions.
    RunRecorder(const model::Experiment &experiment, const std::filesystem::path &database, std::size_t mostWaiting,
                std::stop_token stop, const std::function<void(RunSnapshotPtr)> &publish);

    [[nodiscard]] RunSnapshot &snapshot() { return m_snapshot; }
    [[nodiscard]] store::RunRecord &record() { return m_snapshot.record; }
    /// Peak of the devices, for the metrics; 0 if it is not known.
    void setPeakFlops(double peak) { m_peakFlops = peak; }
    /// Publishes the snapshot.
    void publish();
    /// Begins the run in the store; `begin` returns its number. A database that cannot be written never stops a run: the
    /// changes wait in memory, and the snapshot reports the problem.
    void beginStored(std::function<base::Result<store::RunId>(store::RunStore &)> begin);
    /// Starts the clock of the snapshots.
    void start() { m_started = Clock::now(); }
    /// Stores a change. If too many wait, blocks until the store accepts some or the run is stopped.
    void write(RunWriter::Change change);

    void onStep(const runtime::StepReport &report);
    void onProgress(const runtime::Progress &progress);
    void onEvaluation(const runtime::Evaluation &evaluation);
    void onCheckpoint(int steps, const base::Result<> &written);
    /// Stores how the run ended, with the timeline of its typical step (else its median), and publishes the last snapshot. A
    /// run whose connection was lost counts as interrupted.
    void finish(const base::Result<> &outcome, bool isConnectionLost);

private:
    using Clock = std::chrono::steady_clock;

    /// A step that may turn out to be the median.
    struct Kept {
        base::Nanos iteration;
        timeline::TimelinePtr timeline;
        std::vector<simulate::MemoryByCategory> peakMemory;
        std::vector<base::Bytes> peakHost;
        std::size_t step; ///< of those that this run does
    };

    void noteStored();
    /// Stores the facts about the measurement that a step has found.
    void noteFacts(const std::map<std::string, std::string> &facts);
    void storeStep(const runtime::StepReport &report);
    [[nodiscard]] simulate::Metrics metricsOf(const timeline::Timeline &timeline,
                                              const std::vector<simulate::MemoryByCategory> &peakMemory,
                                              const std::vector<base::Bytes> &peakHost) const;
    /// Returns the steps that stand for the others: without the first ones, where there are more.
    [[nodiscard]] std::vector<const Kept *> candidates() const;
    /// Returns the median of the candidates of which `isOne` holds; null if there is none.
    [[nodiscard]] const Kept *medianStep(const std::function<bool(const Kept &)> &isOne) const;
    /// Puts the median step's timeline and figures into the record and the summary.
    void showMedianStep();
    /// As showMedianStep, of the typical step; false if there is none.
    bool showTypicalStep();
    void summarize();
    /// Returns the change that stores the timeline and figures of the record.
    [[nodiscard]] RunWriter::Change shownTimeline() const;
    /// Removes a run that was refused before it began. If its row cannot be removed, it stays as a failed run.
    void forget();

    std::stop_token m_stop;
    const std::function<void(RunSnapshotPtr)> &m_publish;
    RunWriter m_writer;
    RunSnapshot m_snapshot;
    std::vector<Kept> m_kept;                           ///< candidates for the median step
    std::deque<timeline::OperatorTimesPtr> m_operators; ///< of the last steps
    std::size_t m_keptSlices = 0;
    std::size_t m_storedSlices = 0;
    double m_peakFlops = 0;
    Clock::time_point m_started;
    Clock::time_point m_lastPublished;
    Clock::time_point m_lastStored = Clock::now();
};

} // namespace stagelens::service
