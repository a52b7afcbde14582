// The costs of a plan under its what-ifs (arXiv 2505.05713 lists what makes devices of real jobs slow).
#pragma once

#include "engine/simulate/costs/cost_model.h"

namespace stagelens::simulate {

/// Applies slow parts, slow links and sequence lengths. Devices that are slow in every replica, and lengths that all replicas
/// share, change the costs directly; differences between replicas become CostModel::classes, unless the replicas
/// exchange in every pass: then each pass takes as long as in the slowest. A slow link lengthens messages between its devices,
/// and collectives of all devices if the two are neighbours in the ring of devices. Reads the file of lengths.
[[nodiscard]] base::Result<CostModel> withWhatIfs(CostModel costs, const model::Experiment &experiment,
                                                  const schedule::Schedule &schedule);

/// Returns the costs of the replica whose lanes a timeline of these costs shows.
[[nodiscard]] CostModel shownCosts(const CostModel &costs, const timeline::Timeline &timeline);

} // namespace stagelens::simulate
