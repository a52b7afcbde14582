// Trains a plan and stores the run.
#pragma once

#include "engine/schedule/schedule.h"
#include "engine/service/runs/training_options.h"
#include "engine/store/run_record.h"
#include "engine/timeline/kernel_trace.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace stagelens::service {

/// The state of a run: its record so far, and the current activity. Immutable.
struct RunSnapshot {
    store::RunRecord record; ///< record.timeline: latest step while running, typical step after
    int step = 0;            ///< steps done
    bool isSkipped = false;  ///< the last step: a gradient overflowed fp16
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

/// Trains the experiment on the caller's thread (and those of the devices), stores the run while it progresses, and publishes
/// snapshots: one before anything is allocated, one per step, some in between, and a last one with `finished`.
void runTraining(const model::Experiment &experiment, const TrainingOptions &options, const std::filesystem::path &database,
                 int cores, std::stop_token stop, const std::function<void(RunSnapshotPtr)> &publish);

} // namespace stagelens::service
