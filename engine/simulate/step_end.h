// What follows the passes of a step: the sum of the gradients over replicas, the optimizer, and the gather of its results.
#pragma once

#include "engine/simulate/costs/cost_model.h"
#include "engine/timeline/timeline.h"

#include <vector>

namespace stagelens::simulate {

/// Adds the optimizer to every lane (Lane::tailBegin) and, with replicas, what they exchange. `ends` is when each device has
/// run its passes in every replica. A device then reduces its gradients; with a limit of the gradient's norm no device updates
/// before all have reduced; an optimizer that adds sums over devices ends no table before all have sent theirs; the gather of
/// what ZeRO's replicas have updated may run until the first pass of the next step. If replicas gather first,
/// addFirstGathers() adds that gather. Sets Timeline::period for plans with
/// replicas: the least time after which every device can begin the next step, the greatest of (end of its optimizer and
/// gather) - (begin of its first pass).
void addStepEnd(timeline::Timeline &timeline, const CostModel &costs, const std::vector<base::Nanos> &ends);

/// If replicas gather first: begins the gather of each device at 0, and moves everything else so much later that no device has
/// gathered after the begin of its first pass. The last change of a timeline.
void addFirstGathers(timeline::Timeline &timeline, const CostModel &costs);

/// Returns the period of a timeline whose costs have classes of replicas: a slow optimizer of any of them counts.
[[nodiscard]] base::Nanos slowestPeriod(const timeline::Timeline &timeline, const CostModel &costs,
                                        const std::vector<base::Nanos> &ends);

/// Returns by how much the exchanges between replicas lengthen the period.
[[nodiscard]] base::Nanos exposedExchange(const timeline::Timeline &timeline);

} // namespace stagelens::simulate
