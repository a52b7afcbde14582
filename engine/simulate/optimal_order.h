// Finds the shortest order of a schedule's passes within the memory of the schedule, by branch and bound.
#pragma once

#include "engine/base/units.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

namespace stagelens::simulate {

struct OptimumOptions {
    std::chrono::nanoseconds timeLimit = std::chrono::seconds(60);
    std::size_t mostStates = 2'000'000; ///< remembered states, about 100 bytes each
    std::stop_token stop = {};
    /// Called periodically with the least makespan and the greatest lower bound so far.
    std::function<void(base::Nanos best, base::Nanos bound)> progress = {};
};

struct Optimum {
    base::Nanos makespan = 0;                         ///< the least found
    base::Nanos lowerBound = 0;                       ///< no order is shorter; equal to the makespan if that is proven
    std::size_t nodes = 0;                            ///< partial orders that were examined
    std::vector<std::vector<schedule::Pass>> devices; ///< the order; empty if none is shorter than the given schedule
    [[nodiscard]] bool isProven() const { return makespan == lowerBound; }
};

/// Searches the orders of the schedule's passes on their devices in which the passes of a kind and stage run in microbatch
/// order, and no device exceeds its activations in `limits` (schedule::peakActivations()). For every such order there is one at
/// least as short in which no pass could begin earlier without delaying another, so only those are built (Giffler and Thompson,
/// 1960). A state is dropped if no device and no result is earlier than in a previous state. Returns at the end of the search,
/// when the time is up, or after a stop. Messages overlap with passes, as in simulate() with Collectives::Overlapped. The
/// schedule must be valid, with whole sequences, no overlapped pairs, backwards all split or all whole, and at most 255
/// microbatches.
[[nodiscard]] Optimum optimalOrder(const schedule::Schedule &schedule, const CostModel &costs, const std::vector<int> &limits,
                                   const OptimumOptions &options = {});
/// Returns whether optimalOrder() can search the orders of this schedule.
[[nodiscard]] bool canBeOptimized(const schedule::Schedule &schedule);

} // namespace stagelens::simulate
