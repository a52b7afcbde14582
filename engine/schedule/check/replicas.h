// Whether a schedule can have data-parallel replicas.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Returns a problem if the plan has several replicas and the schedule updates weights before the end of a step: replicas sum
/// their gradients once a step.
[[nodiscard]] base::Problems replicaProblems(const model::ParallelPlan &plan, const Schedule &schedule);

} // namespace stagelens::schedule
