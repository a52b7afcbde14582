// The error of a deadlocked run.
#pragma once

#include "engine/runtime/executor/device.h"

#include <vector>

namespace stagelens::runtime {

/// Names, for every device with passes left, the pass that waits, the missing message and its sender. `done` is the number of
/// passes that each device has run.
[[nodiscard]] base::Error deadlockError(const RunPlan &plan, const std::vector<std::size_t> &done);

} // namespace stagelens::runtime
