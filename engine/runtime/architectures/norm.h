// The normalisation of the architecture: LayerNorm or RMSNorm.
#pragma once

#include "engine/runtime/architectures/layer.h"
#include "engine/runtime/state/parameters.h"

namespace stagelens::runtime {

struct Norm {
    Parameter *weight = nullptr;
    Parameter *bias = nullptr; ///< null: RMSNorm
};

/// Returns the floats that the backward needs in addition to the input: [mean | rstd] of every row for LayerNorm, [rstd] for
/// RMSNorm.
[[nodiscard]] std::int64_t normStatistics(const Shape &shape);

/// Computes out [b s, h] from in [b s, h] and fills the statistics.
void forwardNorm(const Norm &norm, Values out, float *statistics, ConstValues in, const Context &context);

/// Adds the gradient through the norm to inGradient, and the gradients of the parameters.
void backwardNorm(const Norm &norm, Values inGradient, ConstValues outGradient, ConstValues in, const float *statistics,
                  const Context &context);

/// The same inside a layer, where `gradient` contains the gradient of the residual branch. With Backward::Inputs, writes that
/// gradient over `in`, because the linear map at the end of the branch needs it for its weights. Uses the wide workspace.
void backwardNorm(const Norm &norm, Values gradient, ConstValues outGradient, Values in, const float *statistics, Backward part,
                  const Context &context);

} // namespace stagelens::runtime
