// Trains a run in a process of its own, because some faults of a GPU leave CUDA unusable until the process ends.
#pragma once

#include "engine/runtime/training/training_run.h"
#include "engine/runtime/worker/machine_report.h"

#include <functional>
#include <optional>

namespace stagelens::runtime {

class WorkerLink;
class WorkerProcess;

/// The command that runs the worker: `stagelens-cli worker`, from the folder of this program or from STAGELENS_WORKER.
inline constexpr const char *kWorkerCommand = "worker";

/// Like train(), in a worker process. Calls the observer on the calling thread. If the worker dies, the error contains its exit
/// status or signal. The worker ends with this process; it is killed if it does not end in time after a stop of `stop`.
[[nodiscard]] base::Result<> trainInWorker(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                           const RunFolders &folders, const TrainingObserver &observer, std::stop_token stop,
                                           bool isOverNccl = false);

/// Calls the observer with the frames of a worker that has received its run, until it reports the outcome. Returns nothing if
/// its frames end before that. After a stop of `stop` asks the worker to stop, and kills it after kWorkerPatience.
[[nodiscard]] std::optional<base::Result<>> followRun(WorkerProcess &worker, WorkerLink &link, const TrainingObserver &observer,
                                                      const std::stop_token &stop);

using MachineDescriber = std::function<MachineReport()>;
/// Runs the worker: reads the run from standard input and writes reports to standard output. Returns the exit status. If the
/// program that started it is on another machine, sends `describe()` first, and ends within seconds after
/// the connection; calls `abandon`, which ends the process, if the run then hangs.
[[nodiscard]] int work(const MachineDescriber &describe, const std::function<void()> &abandon);

} // namespace stagelens::runtime
