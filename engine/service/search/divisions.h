// The ways to divide the GPUs of a cluster among the parallel dimensions.
#pragma once

#include "engine/service/search/plan_search.h"

namespace stagelens::service {

/// What a search of plans can divide.
struct Divisions {
    std::vector<model::Experiment> plans;
    std::vector<PlanRejection> rejected; ///< why others are not among them
};

/// Returns every division of the query's GPUs into devices, tensor ranks, context ranks and replicas, with each microbatch
/// size, recomputation and stage of ZeRO that searchPlan() examines.
[[nodiscard]] Divisions divisionsOf(const PlanQuery &query);

/// Returns the plan under each vocabulary method that the first stage compares; only the plan if its method is given.
[[nodiscard]] std::vector<model::Experiment> withEachMethod(model::Experiment plan);

/// Returns a time that the best schedules of a division need at least, without what follows the passes: of two V-shaped
/// chunks with split backwards, under the best of those methods. Absent where there are none.
[[nodiscard]] std::optional<base::Nanos> leastTime(const PlanQuery &query, const model::Experiment &division);

} // namespace stagelens::service
