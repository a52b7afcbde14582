// The optimizer step over all devices.
#pragma once

#include "engine/model/experiment.h"
#include "engine/runtime/executor/executor.h"
#include "kernels/include/adamw.h"

#include <vector>

namespace stagelens::runtime {

/// AdamW's settings for a parameter's update after so many others, without clipping.
[[nodiscard]] kernels::AdamW adamwSettings(const model::OptimizerChoice &choice, int updates);

/// Once a step, on devices of this process: adds the output projection's gradient to the embedding's where they are tied.
void addOutputGradients(const Devices &devices);
/// Then, where all devices are in this process: adds the gradients of a parameter's copies to the original's in rank order, and
/// gives every copy that sum.
void addCopies(const Devices &devices);

/// Sums of squares in double of a device's gradients, parameter after parameter; 0 for what it has not, or only a copy of.
[[nodiscard]] std::vector<double> gradientSquares(const RunPlan &plan, const Device &device);
/// Norm of the whole gradient from every rank's: added tensor after tensor and rank after rank.
[[nodiscard]] double gradientNorm(const std::vector<std::vector<double>> &squares);
/// What every gradient is multiplied with so that the norm is at most `clip`, as PyTorch's clip_grad_norm_ does.
[[nodiscard]] float clipFactor(double norm, double clip);

} // namespace stagelens::runtime
