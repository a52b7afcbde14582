// Plans the address of every buffer of a device before the first step.
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/memory/message_bounds.h"
#include "engine/simulate/buffers.h"

#include <cstdint>
#include <vector>

namespace stagelens::runtime {

/// The memory of one device: first parameters, workspace and messages, which stay or have no planned end, then the buffers of
/// the passes. Offsets count floats from the beginning.
struct DevicePlan {
    explicit DevicePlan(simulate::BufferPlan passes) : buffers(std::move(passes)) {}

    simulate::BufferPlan buffers;
    std::vector<std::int64_t> places; ///< offsets of buffers.buffers(), by index
    std::int64_t poolFloats = 0;      ///< before the first buffer
    std::int64_t slabFloats = 0;      ///< of all
    std::int64_t bufferFloats = 0;    ///< of the buffers; never less than mostLive
    std::int64_t mostLive = 0;        ///< greatest number of floats in simultaneously live buffers: a lower bound of any plan
    /// Bytes at the peak of all categories but messages; for messages the bound of messageBounds().
    simulate::MemoryByCategory peak{};
    /// Number of weight versions; `peak` and `after` assume that all are live.
    int weightVersions = 1;
    /// Bytes after every pass, without messages.
    std::vector<simulate::MemoryByCategory> after;
    // On the host: offloaded activations in an arena, and buffers.hostState() in a pool; nothing without offload.
    std::vector<std::int64_t> hostPlaces; ///< offsets of buffers.hostBuffers() in the host arena
    std::int64_t hostFloats = 0;          ///< of the host arena
    std::int64_t hostPoolFloats = 0;      ///< of the pool
    base::Bytes hostPeak = 0;             ///< of the tensors in both

    [[nodiscard]] base::Bytes slabBytes() const { return slabFloats * static_cast<base::Bytes>(sizeof(float)); }
    [[nodiscard]] base::Bytes hostBytes() const
    {
        return (hostFloats + hostPoolFloats) * static_cast<base::Bytes>(sizeof(float));
    }
};

/// Returns the plan of every device of a lowered schedule, for a tensor rank of a share (RankPlace::share). Fails, naming the
/// passes, if a pass reads a buffer that no earlier pass wrote or that another pass freed.
[[nodiscard]] base::Result<std::vector<DevicePlan>>
memoryPlan(const model::Experiment &experiment, const schedule::Schedule &schedule, int share = 0, int tensor = 0);

} // namespace stagelens::runtime
