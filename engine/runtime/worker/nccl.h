// Runs whose tensors travel from GPU to GPU over NCCL.
#pragma once

#include "engine/runtime/memory/device_memory.h"
#include "engine/runtime/worker/peers.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// Before anything is asked of a GPU in a process whose run goes over NCCL: what CUDA would load when it is used first, it
/// loads at once. To load code later waits for all that the GPU does, and NCCL's kernels wait for others (CUDA C++ guide, "Lazy
/// Loading").
void prepareForNccl();
/// Version of the NCCL that can be used here; empty, with the reason in `problem`, where none can.
[[nodiscard]] std::string ncclVersion(std::string &problem);

/// The GPU of each device, as checkGpuMemory() takes it: in several processes that of this one's device, which is the one of
/// its place among the processes of its machine; else a GPU for each. Refused where NCCL cannot be used, or there are too few.
[[nodiscard]] base::Result<std::vector<int>> ncclPlaces(const model::Experiment &experiment, const ProcessGroupPtr &group);

/// What a run's transport over NCCL is made of, beside its plan.
struct NcclParts {
    std::vector<int> places; ///< of ncclPlaces()
    /// Of the devices here, in the order of their ranks; outlive the transport.
    std::vector<DeviceMemory *> memories;
    /// Passes that have ended in this process; any thread may ask.
    std::function<std::int64_t()> passes;
};
/// Collective. The devices begin to find each other. The error is Cancelled where `halt` asks.
[[nodiscard]] base::Result<std::unique_ptr<backend::Transport>> makeNcclTransport(const RunPlan &plan, const Peers &peers,
                                                                                  const NcclParts &parts, std::stop_token halt);
/// Collective, after Peers::introduce(). Sends a little on every link that the run uses, so that no step waits for the
/// connection to be made. Cancelled where the transport's waits ended.
[[nodiscard]] base::Result<> openLinks(const RunPlan &plan, const Peers &peers, const std::vector<DeviceMemory *> &memories,
                                       backend::Transport &transport);

} // namespace stagelens::runtime
