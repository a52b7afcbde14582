// What this machine can train with: backends, and transports between devices.
#pragma once

#include "engine/runtime/processes/control_channel.h"

#include <string>
#include <vector>

namespace stagelens::service {

/// A backend for `list backends`.
struct BackendInfo {
    std::string name;
    std::string description;
    bool available = true;
    std::string reason; ///< why not
};

[[nodiscard]] std::vector<BackendInfo> backends();
/// Returns the transports between devices, as printed by `list transports`.
[[nodiscard]] std::vector<BackendInfo> transports();

/// Joins the processes that mpirun started, including this one; call once. Fails with InvalidInput and field "--transport" if
/// MPI is not available, or if the processes have different builds or transports.
[[nodiscard]] base::Result<runtime::ProcessGroupPtr> joinProcesses(bool isOverNccl);

} // namespace stagelens::service
