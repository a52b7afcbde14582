// Machines that runs can train on: this one, as others see it, and others that ssh reaches.
#pragma once

#include "engine/model/hardware.h"
#include "engine/runtime/remote/remote_worker.h"
#include "engine/service/machine/backends.h"

#include <optional>

namespace stagelens::service {

/// Describes this machine for a program on another one.
[[nodiscard]] runtime::MachineReport describeMachine();
/// Connects to another machine; its program must be of this build. Fails like RemoteWorker::connect().
[[nodiscard]] base::Result<std::unique_ptr<runtime::RemoteWorker>> connectTo(const runtime::HostChoice &choice,
                                                                             const std::stop_token &stop);
/// Requests the facts of another machine. Takes as long as ssh takes to connect.
[[nodiscard]] base::Result<runtime::MachineReport> machineThere(const runtime::HostChoice &choice, const std::stop_token &stop);

/// Returns the calibrated hardware of a machine's processor; nothing if it is not calibrated there.
[[nodiscard]] std::optional<model::Hardware> calibratedHardware(const runtime::MachineReport &machine);

} // namespace stagelens::service
