// The optimizer step over all devices.
#pragma once

#include "engine/model/experiment.h"
#include "engine/runtime/executor.h"
#include "kernels/include/adamw.h"

namespace stagelens::runtime {

/// AdamW's settings in step `step` (from 0), without clipping.
[[nodiscard]] kernels::AdamW adamwSettings(const model::OptimizerChoice &choice, int step);

/// Once a step: adds the output projection's gradient to the embedding's where they are tied, then the gradients of a
/// parameter's copies to the original's in rank order, and gives every copy that sum.
void sumCopies(const Devices &devices);

/// Norm of the whole gradient: squares summed in double, tensor after tensor and rank after rank.
[[nodiscard]] double gradientNorm(const RunPlan &plan, const Devices &devices);
/// What every gradient is multiplied with so that the norm is at most `clip`, as PyTorch's clip_grad_norm_ does.
[[nodiscard]] float clipFactor(double norm, double clip);

} // namespace stagelens::runtime
