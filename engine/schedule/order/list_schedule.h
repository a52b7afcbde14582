// Greedy list scheduling: every device runs, of the passes that it may begin now, the one of the highest rank.
#pragma once

#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagelens::schedule {

/// Passes that a device runs in this order. The queues of a device compete for it.
struct PassQueue {
    std::vector<Pass> passes;
    /// Of the queues whose head can begin at a time, the one with the least rank does.
    int rank = 0;
    /// Begin only if no other queue's head is known to become ready before this pass would end (weight gradients that are to
    /// fill gaps, not to make any). Waiting ends once the device has nothing else left to wait for.
    bool fillsGaps = false;
    /// Of each pass, another that must have ended besides its requirements (F, B or I of any stage); empty: none.
    std::vector<std::optional<Pass>> gates;
};

/// What a device has to run.
struct DeviceWork {
    std::vector<PassQueue> queues;
    /// Most activations (chunks of a microbatch, from the begin of F to the end of B, or of W where split) held at once; an F
    /// beyond it waits.
    std::int64_t memoryLimit = std::int64_t{1} << 40;
};

/// Everything that is to be put in order.
struct ListTask {
    Placement placement;
    int microbatches = 1;
    model::VocabularyMethod vocabulary = model::VocabularyMethod::None;
    std::vector<DeviceWork> devices;
};

/// The order that came about, with its times under the durations that it was made for.
struct ListOutcome {
    std::vector<std::vector<Pass>> devices;
    std::vector<std::vector<base::Nanos>> ends; ///< of each pass
    base::Nanos makespan = 0;
    /// False if some passes could never begin: their order or the memory limit forbids it.
    bool isComplete = false;
};

/// O(n log n) in the passes. The outcome is free of deadlock where it is complete, for the order was carried out. A pair
/// (pairedWithNext) is begun as one.
[[nodiscard]] ListOutcome listSchedule(const ListTask &task, const Durations &durations);

} // namespace stagelens::schedule
