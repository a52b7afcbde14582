// How far the order of each schedule family is from the best one of the same passes in the same memory.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/service/search/schedule_search.h"
#include "engine/simulate/optimal_order.h"

#include <chrono>
#include <string>
#include <vector>

namespace stagelens::service {

/// A family's schedule of the plan, and the best order of its passes.
struct OptimumRow {
    std::string family;
    base::Nanos makespan = 0;
    std::vector<int> peaks; ///< activations that each device holds at most, in stages; the other orders hold no more
    simulate::Optimum optimum;
    std::string problem; ///< why there is no schedule, or no search of it; empty if there is
};

/// Returns a row for each synchronous family with one direction, in the order of the families. Searches with the same passes
/// and memory are made once; the time is divided among them. Fails with InvalidInput if the plan is not valid, or if no family
/// accepts it, and with Cancelled.
[[nodiscard]] base::Result<std::vector<OptimumRow>>
compareWithOptima(const model::Experiment &experiment, std::chrono::nanoseconds timeLimit, const SearchOptions &options = {});

} // namespace stagelens::service
