// The update of a parameter by an optimizer.
#pragma once

#include "engine/model/experiment.h"
#include "engine/runtime/state/parameters.h"

namespace stagelens::runtime {

/// Updates a parameter (with ZeRO, the replica's share of it) and what passes read of it; clears its whole gradient. `scratch`
/// has the floats that Optimizer::scratchFloats() says.
void updateParameter(Parameter &parameter, const operators::Optimizer &optimizer, const model::OptimizerChoice &choice,
                     float gradientScale, backend::Compute &compute, float *scratch = nullptr);
/// The same in two halves, for rows of a table on several devices: computes the sums of these rows, and updates them from the
/// sums over all rows, which stand at the beginning of `scratch`. See Optimizer::sums.
void sumForUpdate(Parameter &parameter, const operators::Optimizer &optimizer, const model::OptimizerChoice &choice,
                  float gradientScale, backend::Compute &compute, double *sums);
void updateFromSums(Parameter &parameter, const operators::Optimizer &optimizer, const model::OptimizerChoice &choice,
                    float gradientScale, backend::Compute &compute, float *scratch);

/// Returns the factor for all gradients that limits the norm to `clip`, as PyTorch's clip_grad_norm_ does.
[[nodiscard]] float clipFactor(double norm, double clip);

} // namespace stagelens::runtime
