// The normalisation of the architecture: LayerNorm or RMSNorm.
#pragma once

#include "engine/runtime/layers/context.h"
#include "engine/runtime/state/parameters.h"

namespace stagelens::runtime {

struct Norm {
    Parameter *weight = nullptr;
    Parameter *bias = nullptr; ///< null: RMSNorm
};

/// Computes out from in, both [Shape::ownTokens, h], and fills the statistics: [mean | rstd] of every row for LayerNorm, [rstd]
/// for RMSNorm.
void forwardNorm(const Norm &norm, Values out, float *statistics, ConstValues in, const Context &context);

/// Adds the gradient through the norm to inGradient, and the gradients of the parameters.
void backwardNorm(const Norm &norm, Values inGradient, ConstValues outGradient, ConstValues in, const float *statistics,
                  const Context &context);

} // namespace stagelens::runtime
