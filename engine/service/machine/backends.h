// What this machine can train with: backends, and transports between devices.
#pragma once

#include "engine/runtime/processes/control_channel.h"
#include "engine/runtime/worker/machine_report.h"

#include <string>
#include <vector>

namespace stagelens::service {

using BackendInfo = runtime::MachineReport::Backend;
/// Returns the backends, as `list backends` prints them.
[[nodiscard]] std::vector<BackendInfo> backends();
/// Returns the transports between devices, as printed by `list transports`.
[[nodiscard]] std::vector<BackendInfo> transports();

/// Joins the processes that mpirun started, including this one; call once. Fails with InvalidInput and field "--transport" if
/// MPI is not available, or if the processes have different builds or transports.
[[nodiscard]] base::Result<runtime::ProcessGroupPtr> joinProcesses(bool isOverNccl);

} // namespace stagelens::service
