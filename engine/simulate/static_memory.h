// The memory of a rank that does not depend on its passes.
#pragma once

#include "engine/simulate/memory.h"

namespace stagelens::simulate {

/// Returns the bytes of a rank's parameters, gradients and optimizer state, and of all other memory that it always holds.
[[nodiscard]] MemoryByCategory staticBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);
/// Returns the part of staticBytes() that ZeRO-2 and 3 free: gradients after their reduction, and parameters between steps.
[[nodiscard]] MemoryByCategory droppedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                            int device);

} // namespace stagelens::simulate
