// Whether what is stored of a run fits together. Internal to the store.
#pragma once

#include "engine/model/experiment.h"
#include "engine/simulate/metrics.h"
#include "engine/timeline/timeline.h"

#include <string>

namespace stagelens::store {

/// In what a timeline is not one of the experiment's plan; empty where it may be. Devices, stages and microbatches alone are
/// compared, from which readers allocate and index.
[[nodiscard]] std::string shapeFault(const timeline::Timeline &timeline, const model::Experiment &experiment);
/// In what metrics are not those of so many devices; empty where they may be.
[[nodiscard]] std::string shapeFault(const simulate::Metrics &metrics, int devices);

} // namespace stagelens::store
