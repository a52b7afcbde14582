// Chimera: two copies of the model in opposite directions.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Li and Hoefler, "Chimera" (arXiv 2107.06925). Half of the microbatches enters at either end. Needs an even number of
/// devices.
[[nodiscard]] base::Result<Schedule> chimera(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
