// Event simulation: when each pass of a schedule runs, given what everything costs.
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/timeline/timeline.h"

namespace stagelens::simulate {

/// Runs every device's passes in order, each as early as its requirements allow. A transfer is latency on the edge: sends never
/// block and links do not queue. With blocking collectives a device waits for each collective right after the pass that feeds
/// it. O(passes). Fails (with the cycle of waits) if the schedule dead-locks.
[[nodiscard]] base::Result<timeline::Timeline> simulate(const schedule::Schedule &schedule, const CostModel &costs);

/// Messages and collectives of a simulated or measured timeline, from its ends of passes; sorted by begin.
[[nodiscard]] std::vector<timeline::TransferSlice> transfersOf(const timeline::Timeline &timeline,
                                                               const schedule::Schedule &schedule, const CostModel &costs);

/// Least time an iteration can take, whatever the order: the greater of the busiest device (with the shortest way in and out)
/// and the critical path of one microbatch.
[[nodiscard]] base::Nanos lowerBound(const schedule::Schedule &schedule, const CostModel &costs);

/// The same before there is an order: of all schedules with the outline's placement and vocabulary method, for so many
/// microbatches; backwards are whole, or split where `splitsBackward` (then some may be whole all the same). O(stages).
[[nodiscard]] base::Nanos lowerBoundOfShape(const schedule::Schedule &outline, const CostModel &costs, int microbatches,
                                            bool splitsBackward);

} // namespace stagelens::simulate
