// Where everything that a device holds during a step will lie, decided before the first step.
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/executor/message_plan.h"
#include "engine/simulate/buffers.h"

#include <cstdint>
#include <vector>

namespace stagelens::runtime {

/// The memory of one device: parameters, workspace and messages first, which stay or have no planned end, then the buffers of
/// the passes. Places count floats from the beginning.
struct DevicePlan {
    explicit DevicePlan(simulate::BufferPlan passes) : buffers(std::move(passes)) {}

    simulate::BufferPlan buffers;
    std::vector<std::int64_t> places; ///< of buffers.buffers(), by number
    std::int64_t poolFloats = 0;      ///< before the first buffer
    std::int64_t slabFloats = 0;      ///< of all
    std::int64_t bufferFloats = 0;    ///< of the buffers; never less than mostLive
    std::int64_t mostLive = 0;        ///< floats of the buffers that live at once, at most: what no plan can do without
    /// Bytes when those of all categories but messages are most; of messages the bound of messageBounds().
    simulate::MemoryByCategory peak{};
    /// Versions of the weights; of more than one, `peak` and `after` have the most.
    int weightVersions = 1;
    /// Bytes after every pass, without messages.
    std::vector<simulate::MemoryByCategory> after;

    [[nodiscard]] base::Bytes slabBytes() const { return slabFloats * static_cast<base::Bytes>(sizeof(float)); }
};

/// The plan of every device of a lowered schedule. Fails where a pass would read what no earlier pass made or another one
/// freed, naming the passes.
[[nodiscard]] base::Result<std::vector<DevicePlan>> memoryPlan(const model::Experiment &experiment,
                                                               const schedule::Schedule &schedule);

} // namespace stagelens::runtime
