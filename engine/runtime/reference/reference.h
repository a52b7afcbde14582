// The unpartitioned model in float64, with which the gradients of every schedule are compared. It shares only the initial
// parameters with the fp32 layers.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/runtime/data/batch.h"

#include <stop_token>
#include <vector>

namespace stagelens::runtime {

struct ReferenceStep {
    double loss = 0; ///< mean over all tokens of the step
    /// Ordered as parameterList().
    std::vector<std::vector<double>> gradients;
};

/// Computes loss and gradients of one step from parameters, in the order of parameterList(), and tokens:
/// those of that step in a batch of several.
[[nodiscard]] base::Result<ReferenceStep> referenceStep(const model::Experiment &experiment,
                                                        const std::vector<std::vector<float>> &parameters, const Batch &batch,
                                                        std::stop_token stop, int step = 0);
/// Computes the same of the microbatches of one replica, as if it trained alone.
[[nodiscard]] base::Result<ReferenceStep> referenceReplica(const model::Experiment &experiment,
                                                           const std::vector<std::vector<float>> &parameters,
                                                           const Batch &batch, int replica, std::stop_token stop);
/// Computes the part of one microbatch; the parts add up to the step.
[[nodiscard]] base::Result<ReferenceStep> referenceMicrobatch(const model::Experiment &experiment,
                                                              const std::vector<std::vector<float>> &parameters,
                                                              const Batch &batch, int microbatch, std::stop_token stop);
/// Returns the memory that either needs.
[[nodiscard]] base::Bytes referenceBytes(const model::Experiment &experiment);

} // namespace stagelens::runtime
