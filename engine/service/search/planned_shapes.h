// The best plan of each division of a cluster.
#pragma once

#include "engine/service/search/examined_plans.h"
#include "engine/service/search/plan_search.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace stagelens::service {

/// Returns whether two plans divide the ranks into as many devices, tensor ranks, context ranks and replicas.
[[nodiscard]] bool isSameShape(const model::ParallelPlan &one, const model::ParallelPlan &other);

/// What is known about the shapes of a cluster.
struct ShapeSearch {
    std::vector<PlannedShape> shapes; ///< those that fit first, by time
    std::vector<Candidate> found;     ///< plans that fit, of shapes that had none among the examined plans
    std::size_t tried = 0;            ///< simulated
};

/// Returns one plan of each shape among examined plans, predicted in full: the fastest that was simulated and fits. A shape
/// without one is searched again alone: its examined plans that were not simulated, and microbatches of the smallest size with
/// the schedules that hold least, every vocabulary method and, unless the query keeps another, full recomputation. If none of
/// them fits either, its plan is the one that needs least memory. Stops early if a stop is requested.
[[nodiscard]] ShapeSearch searchShapes(const PlanQuery &query, const std::vector<model::Experiment> &plans,
                                       const std::vector<ExaminedPlan> &examined, const std::optional<base::Bytes> &limit,
                                       const SearchOptions &options);

} // namespace stagelens::service
