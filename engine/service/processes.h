// Processes that train one plan together.
#pragma once

#include "engine/runtime/worker/control_channel.h"
#include "engine/service/engine_service.h"

#include <map>
#include <string>
#include <vector>

namespace stagelens::service {

/// How tensors can travel between devices, as `list transports` prints it.
[[nodiscard]] std::vector<BackendInfo> transports();

/// Joins the processes that mpirun started, this one among them; once in a process. InvalidInput, with field "--transport",
/// where MPI is not available or the processes are of different builds, or not all told the same transport.
[[nodiscard]] base::Result<runtime::ProcessGroupPtr> joinProcesses(bool isOverNccl);

/// Every reason why an experiment cannot be trained by those processes, or over NCCL, each with its field.
[[nodiscard]] base::Problems travelProblems(const model::Experiment &experiment, const TrainingOptions &options);

/// What a run's record says of its processes and of how tensors travel; nothing where there is one process and they do not.
[[nodiscard]] std::map<std::string, std::string> travelFacts(const TrainingOptions &options);

} // namespace stagelens::service
