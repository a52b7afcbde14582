// The model in float64, unpartitioned and plain: what every schedule's gradients are compared with. It shares nothing with the
// fp32 layers but the parameters' first values.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/runtime/data/batch.h"

#include <stop_token>
#include <vector>

namespace stagelens::runtime {

struct ReferenceStep {
    double loss = 0; ///< mean over all tokens of the step
    /// In the order of parameterList().
    std::vector<std::vector<double>> gradients;
};

/// Loss and gradients of one step for those parameters (in the order of parameterList()) and tokens.
[[nodiscard]] base::Result<ReferenceStep> referenceStep(const model::Experiment &experiment,
                                                        const std::vector<std::vector<float>> &parameters, const Batch &batch,
                                                        std::stop_token stop);
/// The part of one microbatch in that: the parts add up to the step's.
[[nodiscard]] base::Result<ReferenceStep> referenceMicrobatch(const model::Experiment &experiment,
                                                              const std::vector<std::vector<float>> &parameters,
                                                              const Batch &batch, int microbatch, std::stop_token stop);
/// Memory that either takes.
[[nodiscard]] base::Bytes referenceBytes(const model::Experiment &experiment);

} // namespace stagelens::runtime
