// Whether a schedule can have more ranks than devices.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Returns a problem if the plan has several replicas or tensor ranks and the schedule updates weights before the end of a
/// step: ranks sum their gradients once a step.
[[nodiscard]] base::Problems rankProblems(const model::ParallelPlan &plan, const Schedule &schedule);

} // namespace stagelens::schedule
