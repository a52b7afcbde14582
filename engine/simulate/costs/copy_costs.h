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

/// Returns (time of both copies) / (F + B) of a transformer layer of GPT whose norms, activation function and dropout are
/// recomputed: 10 / (3 (6 h + s)) times FLOP/s over the bytes/s of each way (PipeOffload, arXiv 2503.01328, equation 1).
/// Attention is not discounted for causality. At most 1: offload is free in the steady state of 1F1B.
[[nodiscard]] double layerCopyRatio(double hidden, double sequence, double flops, double bytesPerSecond);

} // namespace stagelens::simulate
