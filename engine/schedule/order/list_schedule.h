// Greedy list scheduling: every device runs the ready pass with the lowest rank.
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
    /// The queue with the lowest rank runs, among those whose heads are ready.
    int rank = 0;
    /// A pass begins only if no other queue's head is known to become ready before it would end (weight gradients that fill
    /// gaps without delaying other passes). Ignored once the device has nothing else to wait for.
    bool fillsGaps = false;
    /// For each pass, a further pass (F, B or I of any stage) that must end first; empty: none.
    std::vector<std::optional<Pass>> gates;
};

/// What a device has to run.
struct DeviceWork {
    std::vector<PassQueue> queues;
    /// Maximum number of activations (of one chunk and microbatch, from the begin of F to the end of B, or of W if split) alive
    /// at once; further F wait.
    std::int64_t memoryLimit = std::int64_t{1} << 40;
};

/// The passes to schedule.
struct ListTask {
    Placement placement;
    int microbatches = 1;
    model::VocabularyMethod vocabulary = model::VocabularyMethod::None;
    std::vector<DeviceWork> devices;
};

/// The resulting order, with its times under the given durations.
struct ListOutcome {
    std::vector<std::vector<Pass>> devices;
    std::vector<std::vector<base::Nanos>> ends; ///< of each pass
    base::Nanos makespan = 0;
    /// False if the order of the queues or the memory limit prevented some passes from starting.
    bool isComplete = false;
};

/// O(n log n) in the passes. A complete outcome is free of deadlock, because it was executed. A pair (pairedWithNext) starts as
/// one pass.
[[nodiscard]] ListOutcome listSchedule(const ListTask &task, const Durations &durations);

} // namespace stagelens::schedule
