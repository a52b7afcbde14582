// The cost of copying activations to the host and back.
#pragma once

#include "engine/model/presets.h"
#include "engine/simulate/costs/cost_model.h"

namespace stagelens::simulate {

/// Sets the copies of each stage if the plan offloads activations. Fails with InvalidInput if neither the plan nor its hardware
/// has a bandwidth.
[[nodiscard]] base::Result<> setCopies(CostModel &costs, const model::Experiment &experiment,
                                       const schedule::Schedule &schedule);

/// Returns the bytes/s of a device's link to the host, each way; 0: unknown.
[[nodiscard]] double hostRate(const model::Experiment &experiment, const model::Hardware &hardware);
/// Returns the ranks of the plan on its fullest node.
[[nodiscard]] std::int64_t hostRanks(const model::Experiment &experiment, const model::Hardware &hardware);
/// Fails with InvalidInput if the plan offloads the optimizer, and neither it nor its hardware has a bandwidth. Durations that
/// are given need none.
[[nodiscard]] base::Result<> checkHostLink(const model::Experiment &experiment);

/// Returns the bytes of host memory that the copies of each rank of a node may use; 0: unknown.
[[nodiscard]] base::Result<base::Bytes> hostMemoryOfNode(const model::Experiment &experiment);

} // namespace stagelens::simulate
