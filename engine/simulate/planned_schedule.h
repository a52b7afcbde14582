// The schedule that an experiment means, with the costs at hand.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"

#include <cstdint>
#include <vector>

namespace stagelens::simulate {

/// What a cost model says of a schedule's passes, as far as another order of them depends on it.
[[nodiscard]] schedule::Durations durationsOf(const CostModel &costs, const schedule::Schedule &schedule);

/// How many activations (a stage's of a microbatch) each device has room for under the experiment's memory limit. There must be
/// a limit and a model.
[[nodiscard]] std::vector<std::int64_t> activationLimits(const model::Experiment &experiment,
                                                         const schedule::Schedule &schedule);

/// What can be said of an experiment before its passes are in order: placement and costs do not depend on the number of
/// microbatches.
struct Outline {
    schedule::Schedule schedule; ///< of few microbatches
    CostModel costs;
};
[[nodiscard]] base::Result<Outline> outlineOf(const model::Experiment &experiment);

/// The experiment's schedule, made for the outline's costs where the order depends on durations. The memory limit guides
/// families that adapt to it, and refuses nothing.
[[nodiscard]] base::Result<schedule::Schedule> orderedSchedule(const model::Experiment &experiment, const Outline &outline);

/// The same of the experiment's own outline: as schedule::makeSchedule, with the experiment's own costs where the order depends
/// on durations.
[[nodiscard]] base::Result<schedule::Schedule> orderedSchedule(const model::Experiment &experiment);

/// As above, within the experiment's memory limit: InvalidInput with field "schedule.memory_limit" for each device that would
/// hold more.
[[nodiscard]] base::Result<schedule::Schedule> plannedSchedule(const model::Experiment &experiment);

} // namespace stagelens::simulate
