// Processes that train one plan together.
#pragma once

#include "engine/runtime/peers.h"
#include "engine/service/engine_service.h"

#include <map>
#include <string>
#include <vector>

namespace stagelens::service {

/// How tensors can travel between devices, as `list transports` prints it.
[[nodiscard]] std::vector<BackendInfo> transports();

/// Joins the processes that mpirun started, this one among them; once in a process. InvalidInput, with field "--transport",
/// where MPI is not available or the processes are of different builds.
[[nodiscard]] base::Result<runtime::ProcessGroupPtr> joinProcesses();

/// Every reason why a group cannot train an experiment, each with its field.
[[nodiscard]] base::Problems groupProblems(const backend::ProcessGroup &group, const model::Experiment &experiment,
                                           const TrainingOptions &options);

/// What a run's record says of its processes.
[[nodiscard]] std::map<std::string, std::string> groupFacts(const backend::ProcessGroup &group);

} // namespace stagelens::service
