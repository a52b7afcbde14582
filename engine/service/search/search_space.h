// The plans that `--schedule auto` compares, before anything is known of them.
#pragma once

#include "engine/model/experiment.h"
#include "engine/simulate/planned_schedule.h"

#include <vector>

namespace stagelens::service {

/// Every family, method, order and number of chunks that leaves open what the experiment leaves open, in the order of the
/// registry. Stage layers are the experiment's own (empty where it has none). Not validated.
[[nodiscard]] std::vector<model::Experiment> plansOf(const model::Experiment &experiment);

/// The cut that gives all devices equal work as far as whole layers can, for the costs at hand; a stage keeps a layer unless
/// the method is redis. Empty where a cut changes no duration (given durations), is the person's own, or would take too long.
/// `plan` has the cut that the outline was made for.
[[nodiscard]] std::vector<int> balancedStageLayers(const model::Experiment &plan, const simulate::Outline &outline);

/// The cut that leaves the fullest device the least memory, as far as moving single layers from it finds one: devices hold as
/// many activations as in the order of `plan`. A stage keeps a layer unless the method is redis. Empty where no move helps,
/// without a model, where the cut changes no duration, or where it would take too long. `plan` has the cut that the outline was
/// made for.
[[nodiscard]] std::vector<int> leastMemoryStageLayers(const model::Experiment &plan, const simulate::Outline &outline);

} // namespace stagelens::service
