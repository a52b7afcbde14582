// Checks that the stored parts of a run match. Internal to the store.
#pragma once

#include "engine/model/experiment.h"
#include "engine/simulate/metrics.h"
#include "engine/timeline/router_counts.h"
#include "engine/timeline/timeline.h"

#include <string>

namespace stagelens::store {

/// Returns why a timeline cannot be of the experiment's plan; empty if it can. Compares only devices, stages and
/// microbatches, from which readers allocate and index.
[[nodiscard]] std::string shapeFault(const timeline::Timeline &timeline, const model::Experiment &experiment);
/// Returns why metrics cannot be of that number of devices; empty if they can.
[[nodiscard]] std::string shapeFault(const simulate::Metrics &metrics, int devices);
/// Returns why the choices of a step cannot be those of the model's routers; empty if they can.
[[nodiscard]] std::string shapeFault(const timeline::RouterStep &routers, const model::ModelConfig &model);

} // namespace stagelens::store
