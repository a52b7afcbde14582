// The best plan of each division of a cluster.
#pragma once

#include "engine/service/search/examined_plans.h"
#include "engine/service/search/plan_search.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace stagelens::service {

/// Returns whether two plans divide the ranks into as many devices, tensor ranks, context ranks and replicas.
[[nodiscard]] bool isSameShape(const model::ParallelPlan &one, const model::ParallelPlan &other);

/// Returns one plan of each shape among examined plans, predicted in full: the fastest that was simulated and fits, else the
/// most promising by its bounds, else the one that needs least. Those that fit come first, by time. Stops early if `stop` is
/// requested.
[[nodiscard]] std::vector<PlannedShape> plannedShapes(const std::vector<model::Experiment> &plans,
                                                      const std::vector<ExaminedPlan> &examined,
                                                      const std::optional<base::Bytes> &limit, const std::stop_token &stop);

} // namespace stagelens::service
