// Hanayo: waves along the devices.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Liu et al., "Hanayo" (arXiv 2308.15762): the stages are placed in w waves down and up the devices, 2 w stages per device.
[[nodiscard]] base::Result<Schedule> hanayo(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
