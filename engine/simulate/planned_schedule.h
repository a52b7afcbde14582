// Builds the schedule of an experiment from its costs.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"

#include <cstdint>
#include <vector>

namespace stagelens::simulate {

/// Returns the durations of a cost model that generators of orders depend on.
[[nodiscard]] schedule::Durations durationsOf(const CostModel &costs, const schedule::Schedule &schedule);

/// Returns, by device, the number of activations (of one stage and microbatch) that fit under the experiment's memory limit.
/// The experiment must have a limit and a model.
[[nodiscard]] std::vector<std::int64_t> activationLimits(const model::Experiment &experiment,
                                                         const schedule::Schedule &schedule);

/// The parts of a plan that do not depend on the order of its passes: placement and planned costs (without what-ifs) are
/// independent of the number of microbatches.
struct Outline {
    schedule::Schedule schedule; ///< of few microbatches
    CostModel costs;
};
[[nodiscard]] base::Result<Outline> outlineOf(const model::Experiment &experiment);

/// Why plans whose weights change between the passes of a step do not offload the optimizer.
inline constexpr std::string_view kVersionsOnHost = "is yes, but the schedule updates weights between its passes, which keep "
                                                    "several versions of them on the device; choose no, "
                                                    "or a synchronous schedule such as 1f1b";

/// Returns an order with the copies of its offload, for all iterations of the experiment: copies of the step if it is
/// synchronous. Fails if the order is of another number of iterations.
[[nodiscard]] base::Result<schedule::Schedule> completed(const model::Experiment &experiment, schedule::Schedule order);

/// Returns the experiment's schedule, built for the outline's costs if the order depends on durations. Families that adapt to
/// the memory limit use it, but a schedule that exceeds it is not refused.
[[nodiscard]] base::Result<schedule::Schedule> orderedSchedule(const model::Experiment &experiment, const Outline &outline);

/// Returns the same for the experiment's own outline: as schedule::makeSchedule, with the experiment's costs if the order
/// depends on durations.
[[nodiscard]] base::Result<schedule::Schedule> orderedSchedule(const model::Experiment &experiment);

/// As above, within the experiment's memory limit. Fails with InvalidInput and field "schedule.memory_limit" for each device
/// that exceeds it.
[[nodiscard]] base::Result<schedule::Schedule> plannedSchedule(const model::Experiment &experiment);

} // namespace stagelens::simulate
