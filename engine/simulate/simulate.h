// Event simulation of a schedule under a cost model.
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/timeline/timeline.h"

namespace stagelens::simulate {

/// Runs every device's passes in order, each as early as its requirements allow. A transfer only adds latency: sends never
/// block, and links do not queue. With blocking collectives, a device waits for each collective right after the pass that feeds
/// it. O(passes). Fails with the cycle of waits if the schedule deadlocks. If replicas differ, each class of equal ones is
/// simulated; the timeline is that of the slowest (Timeline::replica), and its devices reduce their gradients after those of
/// all others. Several iterations of a synchronous schedule are copies of its step (iterations.h).
[[nodiscard]] base::Result<timeline::Timeline> simulate(const schedule::Schedule &schedule, const CostModel &costs);

/// Returns the messages and collectives of a simulated or measured timeline, from the ends of its passes; sorted by begin.
[[nodiscard]] std::vector<timeline::TransferSlice> transfersOf(const timeline::Timeline &timeline,
                                                               const schedule::Schedule &schedule, const CostModel &costs);

/// Returns a lower bound of the iteration over all orders: the maximum of the busiest device (with the shortest path to and
/// from it) and the critical path of one microbatch. Of several iterations: of all of them together.
[[nodiscard]] base::Nanos lowerBound(const schedule::Schedule &schedule, const CostModel &costs);

/// What orders of a family may have.
struct OrderTraits {
    bool splitsBackward = false; ///< backwards may be split, and passes may be in overlapped pairs
    bool hasPairs = false;       ///< passes may be in overlapped pairs
};
/// Returns the same without an order: for all schedules with the outline's placement and vocabulary method and this number of
/// microbatches. O(stages).
[[nodiscard]] base::Nanos lowerBoundOfShape(const schedule::Schedule &outline, const CostModel &costs, int microbatches,
                                            OrderTraits traits);

} // namespace stagelens::simulate
