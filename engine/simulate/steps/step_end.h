// The work after the passes of a step: the sum of the gradients over replicas, the optimizer, and the gather or the average of
// its results.
#pragma once

#include "engine/simulate/costs/cost_model.h"
#include "engine/timeline/timeline.h"

#include <vector>

namespace stagelens::simulate {

/// Adds the optimizer to every lane (Lane::tailBegin) and, with replicas, their exchanges. `ends` is the time at which each
/// device has run its passes in every replica. A device then reduces its gradients. With gradient clipping no device updates
/// before all have reduced. An optimizer with sums over devices finishes no table before all devices have sent theirs. The
/// gather of parameters that ZeRO's replicas have updated may run until the first pass of the next step; if replicas gather
/// first, addFirstGathers() adds that gather. Sets Timeline::period for plans with replicas: the least time after which every
/// device can begin the next step, which is the maximum of (end of its optimizer and gather) - (begin of its first pass).
/// Replicas that train alone update from their own gradients, and the average of their weights follows; the period is then the
/// mean of CostModel::averageEvery steps, of which only the last has an average.
void addStepEnd(timeline::Timeline &timeline, const CostModel &costs, const std::vector<base::Nanos> &ends);

/// If replicas gather first: begins the gather of each device at 0, and delays everything else so that every device finishes
/// its gather before its first pass. Must be the last change of a timeline.
void addFirstGathers(timeline::Timeline &timeline, const CostModel &costs);

/// Returns the period of a timeline whose costs have classes of replicas, including the slowest optimizer of any class.
[[nodiscard]] base::Nanos slowestPeriod(const timeline::Timeline &timeline, const CostModel &costs,
                                        const std::vector<base::Nanos> &ends);

/// Returns by how much the exchanges between replicas lengthen the period.
[[nodiscard]] base::Nanos exposedExchange(const timeline::Timeline &timeline);

} // namespace stagelens::simulate
