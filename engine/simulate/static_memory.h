// The memory of a rank that does not depend on its passes.
#pragma once

#include "engine/simulate/memory.h"

namespace stagelens::simulate {

/// Returns the parameters, gradients and optimizer state of a rank, and what else a rank of the engine always holds.
[[nodiscard]] MemoryByCategory staticBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);
/// Returns the bytes of staticBytes() that ZeRO-2 and 3 drop: of the gradients after their reduction, and of the parameters
/// between steps.
[[nodiscard]] MemoryByCategory droppedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                            int device);

} // namespace stagelens::simulate
