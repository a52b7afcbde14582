// The optimizer step over all devices.
#pragma once

#include "engine/model/experiment.h"
#include "engine/runtime/executor/executor.h"
#include "kernels/include/adamw.h"

#include <vector>

namespace stagelens::runtime {

/// Returns the AdamW settings of an update after `updates` others, without clipping.
[[nodiscard]] kernels::AdamW adamwSettings(const model::OptimizerChoice &choice, int updates);

/// Adds the gradient of a tied output projection to that of the embedding, on the devices of this process. Call once per step.
void addOutputGradients(const Devices &devices);
/// If all devices are in this process: adds the gradients of the copies of a parameter to the original in rank order, and
/// writes the sum to every copy. Call after addOutputGradients().
void addCopies(const Devices &devices);

/// Returns the sum of squares of each parameter's gradient on a device, in double; 0 for parameters that it does not hold or
/// holds as a copy.
[[nodiscard]] std::vector<double> gradientSquares(const RunPlan &plan, const Device &device);
/// Returns the norm of the whole gradient from the squares of every rank, added parameter by parameter and in rank order.
[[nodiscard]] double gradientNorm(const std::vector<std::vector<double>> &squares);
/// Returns the factor for all gradients that limits the norm to `clip`, as PyTorch's clip_grad_norm_ does.
[[nodiscard]] float clipFactor(double norm, double clip);

} // namespace stagelens::runtime
