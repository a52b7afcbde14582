// Runs that a process of their own trains: a fault of a GPU that CUDA cannot forget ends that process, and nothing else.
#pragma once

#include "engine/runtime/state/run_folders.h"
#include "engine/runtime/training_run.h"

namespace stagelens::runtime {

/// What the program is called with that works there: `stagelens-cli worker`, beside the program that runs, or what
/// STAGELENS_WORKER names in its place.
inline constexpr const char *kWorkerCommand = "worker";

/// As train(), in a worker. The observer is called on the calling thread. Where the worker dies the error says of what. It ends
/// with this process, and where it does not stop in time when `stop` asks.
[[nodiscard]] base::Result<> trainInWorker(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                           const RunFolders &folders, const TrainingObserver &observer, std::stop_token stop,
                                           bool isOverNccl = false);

/// What the worker does: takes the run from standard input, and tells on standard output what happens. Answers the exit status.
[[nodiscard]] int work();

} // namespace stagelens::runtime
