// The options of a run.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/runtime/remote/host.h"
#include "engine/service/runs/run_writer.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace stagelens::backend {
class ProcessGroup;
}

namespace stagelens::service {

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

/// A stored run that another one resumes.
struct ResumedRun {
    store::RunId id = 0;
    model::Experiment experiment;
};
/// Collective. The first process calls `find`; all return its outcome, so that the others need no database. Without a group
/// only calls `find`.
[[nodiscard]] base::Result<ResumedRun> shareResumedRun(const std::shared_ptr<backend::ProcessGroup> &group,
                                                       const std::function<base::Result<ResumedRun>()> &find);

/// Returns every reason why options of a run cannot be used on another machine, each with its option.
[[nodiscard]] base::Problems hostProblems(const TrainingOptions &options);
/// Returns every reason why an experiment cannot be trained by those processes, or over NCCL, each with its field.
[[nodiscard]] base::Problems travelProblems(const model::Experiment &experiment, const TrainingOptions &options);
/// Returns the processes and the transport for the record of a run; nothing for a single process without a transport.
[[nodiscard]] std::map<std::string, std::string> travelFacts(const TrainingOptions &options);

} // namespace stagelens::service
