// Runs that exchange tensors between GPUs over NCCL.
#pragma once

#include "engine/runtime/memory/device_memory.h"
#include "engine/runtime/processes/control_channel.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// Makes CUDA load all kernels at its first use. Call before any use of a GPU in a process that uses NCCL: loading a kernel
/// later waits for all work of the GPU, including NCCL kernels that wait for other ranks (CUDA C++ guide, "Lazy Loading").
void prepareForNccl();
/// Returns the version of NCCL. If it is not usable returns an empty string and sets `problem`.
[[nodiscard]] std::string ncclVersion(std::string &problem);

/// Returns the GPU of each rank, as checkRun() expects it: a GPU per rank, or in several processes the GPU of this process's
/// rank, one that no other process of its machine takes. Collective with several processes. Fails if NCCL is not usable or
/// there are too few GPUs.
[[nodiscard]] base::Result<std::vector<int>> ncclPlaces(const model::Experiment &experiment, const ProcessGroupPtr &group,
                                                        const std::stop_token &halt);

/// What the NCCL transport needs in addition to the plan.
struct NcclParts {
    std::vector<int> places; ///< from ncclPlaces()
    /// Memory of the devices in this process, in rank order; must outlive the transport.
    std::vector<DeviceMemory *> memories;
    /// Returns how many passes have ended in this process. Called on any thread.
    std::function<std::int64_t()> passes;
};
/// Collective. Creates the transport and starts to connect the ranks: each pipeline, the tensor ranks of each device and the
/// replicas of each rank have a communicator of their own. Returns Cancelled after a stop of `halt`.
[[nodiscard]] base::Result<std::unique_ptr<backend::Transport>>
makeNcclTransport(const RunPlan &plan, const ControlChannel &control, const NcclParts &parts, std::stop_token halt);
/// Collective. Sends a small message on every link of the run, so that no step waits for a connection. `copies` are
/// CopiedGradients::messages(). Returns Cancelled if the transport failed.
[[nodiscard]] base::Result<> openLinks(const RunPlan &plan, const ControlChannel &control,
                                       const std::vector<backend::Message> &copies, const std::vector<DeviceMemory *> &memories,
                                       backend::Transport &transport);

} // namespace stagelens::runtime
