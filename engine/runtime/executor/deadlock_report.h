// What a run that cannot go on says.
#pragma once

#include "engine/runtime/executor/device.h"

#include <vector>

namespace stagelens::runtime {

/// Of every device that is not through: at which pass it waits, and for which message from whom. `done` are the passes that
/// each device has carried out.
[[nodiscard]] base::Error deadlockError(const RunPlan &plan, const std::vector<std::size_t> &done);

} // namespace stagelens::runtime
