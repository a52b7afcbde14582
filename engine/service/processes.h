// The processes that train one plan together.
#pragma once

#include "engine/runtime/processes/control_channel.h"
#include "engine/service/engine_service.h"

#include <map>
#include <string>
#include <vector>

namespace stagelens::service {

/// Returns the transports between devices, as printed by `list transports`.
[[nodiscard]] std::vector<BackendInfo> transports();

/// Joins the processes that mpirun started, including this one; call once. Fails with InvalidInput and field "--transport" if
/// MPI is not available, or if the processes have different builds or transports.
[[nodiscard]] base::Result<runtime::ProcessGroupPtr> joinProcesses(bool isOverNccl);

/// Returns every reason why an experiment cannot be trained by those processes, or over NCCL, each with its field.
[[nodiscard]] base::Problems travelProblems(const model::Experiment &experiment, const TrainingOptions &options);

/// Returns the processes and the transport for the record of a run; nothing for a single process without a transport.
[[nodiscard]] std::map<std::string, std::string> travelFacts(const TrainingOptions &options);

} // namespace stagelens::service
