// The cost of copying activations to the host and back.
#pragma once

#include "engine/simulate/costs/cost_model.h"

namespace stagelens::simulate {

/// Sets the copies of each stage if the plan offloads activations. Fails with InvalidInput if neither the plan nor its hardware
/// has a bandwidth.
[[nodiscard]] base::Result<> setCopies(CostModel &costs, const model::Experiment &experiment,
                                       const schedule::Schedule &schedule);

/// Returns the bytes of host memory that the copies of each rank of a node may use; 0: unknown.
[[nodiscard]] base::Result<base::Bytes> hostMemoryOfNode(const model::Experiment &experiment);

} // namespace stagelens::simulate
