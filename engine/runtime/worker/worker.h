// Trains a run in a process of its own, because some faults of a GPU leave CUDA unusable until the process ends.
#pragma once

#include "engine/runtime/state/run_folders.h"
#include "engine/runtime/training_run.h"

namespace stagelens::runtime {

/// The command that runs the worker: `stagelens-cli worker`, from the folder of this program or from STAGELENS_WORKER.
inline constexpr const char *kWorkerCommand = "worker";

/// Like train(), in a worker process. Calls the observer on the calling thread. If the worker dies the error says how. The
/// worker ends with this process; it is killed if it does not end in time after a stop of `stop`.
[[nodiscard]] base::Result<> trainInWorker(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                           const RunFolders &folders, const TrainingObserver &observer, std::stop_token stop,
                                           bool isOverNccl = false);

/// Runs the worker: reads the run from standard input and writes reports to standard output. Returns the exit status.
[[nodiscard]] int work();

} // namespace stagelens::runtime
