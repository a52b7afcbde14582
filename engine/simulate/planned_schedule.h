// The schedule that an experiment means, with the costs at hand.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/cost_model.h"

namespace stagelens::simulate {

/// What a cost model says of a schedule's passes, as far as another order of them depends on it.
[[nodiscard]] schedule::Durations durationsOf(const CostModel &costs, const schedule::Schedule &schedule);

/// As schedule::makeSchedule, with the experiment's own costs where the order depends on durations, and within its memory
/// limit: InvalidInput with field "schedule.memory_limit" where a device needs more microbatches in flight than it has room
/// for.
[[nodiscard]] base::Result<schedule::Schedule> plannedSchedule(const model::Experiment &experiment);

} // namespace stagelens::simulate
