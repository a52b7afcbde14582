// The normalisation of a stage's rows: LayerNorm or RMSNorm, whichever the family has.
#pragma once

#include "engine/runtime/architectures/layer.h"
#include "engine/runtime/state/parameters.h"

namespace stagelens::runtime {

struct Norm {
    Parameter *weight = nullptr;
    Parameter *bias = nullptr; ///< null: RMSNorm
};

/// Floats that the backward needs beside the input: LayerNorm's [mean | rstd], RMSNorm's [rstd] of every row.
[[nodiscard]] std::int64_t normStatistics(const Shape &shape);

/// out [b s, h] from in [b s, h]; fills the statistics.
void forwardNorm(const Norm &norm, Values out, float *statistics, ConstValues in, const Context &context);

/// Adds the gradient through the norm to inGradient, and the parameters' gradients.
void backwardNorm(const Norm &norm, Values inGradient, ConstValues outGradient, ConstValues in, const float *statistics,
                  const Context &context);

/// The same inside a layer, for a `gradient` that holds the residual branch's. With Backward::Inputs that one takes the place
/// of `in`, for the linear map that ends in the branch needs it for its weights. Uses the wide workspace.
void backwardNorm(const Norm &norm, Values gradient, ConstValues outGradient, Values in, const float *statistics, Backward part,
                  const Context &context);

} // namespace stagelens::runtime
