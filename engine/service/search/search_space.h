// The candidate plans of `--schedule auto`.
#pragma once

#include "engine/model/experiment.h"
#include "engine/simulate/planned_schedule.h"

#include <vector>

namespace stagelens::service {

/// Returns whether a search may choose the vocabulary method: the plan has the default, which cannot be told from none given.
[[nodiscard]] bool leavesMethodOpen(const model::ScheduleChoice &choice);

/// Returns every family, method, order and number of chunks that is compatible with the experiment, in the order of the
/// registry. Stage layers are those of the experiment (empty if it has none). Not validated.
[[nodiscard]] std::vector<model::Experiment> plansOf(const model::Experiment &experiment);

/// Returns the cut that balances the work of all devices as well as whole layers allow. Every stage keeps a layer unless the
/// method is redis. Returns nothing if a cut does not change durations (given durations), is given by the user, or would take
/// too long. `plan` has the cut of the outline.
[[nodiscard]] std::vector<int> balancedStageLayers(const model::Experiment &plan, const simulate::Outline &outline);

/// Returns the cut with the least memory on the fullest device that moving single layers away from it finds; devices hold as
/// many activations as in the order of `plan`. Every stage keeps a layer unless the method is redis. Returns nothing if no move
/// helps, without a model, if the cut does not change durations, or if it would take too long. `plan` has the cut of the
/// outline.
[[nodiscard]] std::vector<int> leastMemoryStageLayers(const model::Experiment &plan, const simulate::Outline &outline);

} // namespace stagelens::service
