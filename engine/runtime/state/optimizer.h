// The optimizer step over all devices.
#pragma once

#include "engine/model/experiment.h"
#include "engine/runtime/executor/executor.h"

#include <vector>

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

/// Adds the gradient of a tied output projection to that of the embedding, on the devices of this process. Call once per step.
void addOutputGradients(const Devices &devices);
/// If all devices are in this process: in each replica, adds the gradients of the copies of a parameter to the original in rank
/// order, and writes the sum to every copy. Call after addOutputGradients().
void addCopies(const Devices &devices);

/// Returns the sum of squares of this replica's share of each parameter's gradient on a device, in double; 0 for parameters
/// that it does not hold or holds as a copy.
[[nodiscard]] std::vector<double> gradientSquares(const RunPlan &plan, const Device &device);
/// Returns the norm of the whole gradient from the squares of every rank, added parameter by parameter and in rank order.
[[nodiscard]] double gradientNorm(const std::vector<std::vector<double>> &squares);
/// Returns the factor for all gradients that limits the norm to `clip`, as PyTorch's clip_grad_norm_ does.
[[nodiscard]] float clipFactor(double norm, double clip);

} // namespace stagelens::runtime
