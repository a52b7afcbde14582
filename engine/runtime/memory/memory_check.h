// Whether a run fits the machine's memory, and what would make it fit.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <vector>

namespace stagelens::runtime {

struct Shape;

/// What a run takes, from the plan.
struct MemoryNeed {
    std::vector<base::Bytes> slabs; ///< of every device
    std::vector<base::Bytes> peaks; ///< of every device: what its tensors hold at most, messages aside
    base::Bytes tokens = 0;         ///< of a step's batch

    [[nodiscard]] base::Bytes total() const;
};
/// Of a step's batch, inputs and labels.
[[nodiscard]] base::Bytes tokenBytes(const Shape &shape);
/// Fails where the order makes no plan, see memoryPlan().
[[nodiscard]] base::Result<MemoryNeed> memoryNeed(const model::Experiment &experiment, const schedule::Schedule &schedule);

/// Fails where the run and `beside` bytes are more than are available (0: unknown), or a device holds more than
/// schedule.memory_limit: says how much is missing, on which device it is most, and which setting would fit.
[[nodiscard]] base::Result<> checkMemory(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                         base::Bytes available, base::Bytes beside = 0);

} // namespace stagelens::runtime
