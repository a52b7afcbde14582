// The halves of a layer after attention: a dense MLP or a mixture of experts, both with SwiGLU.
#pragma once

#include "engine/operators/block.h"

namespace stagelens::operators {

/// The parameters of a SwiGLU MLP: matrices, or one below the other those of all experts, and the router's.
struct FeedForward {
    int router = -1; ///< -1: dense
    int gate = 0;
    int up = 0;
    int down = 0;
};

/// Adds the parameters of a mixture of experts, with the names of Hugging Face's Mixtral; `*` is the number of the expert.
[[nodiscard]] FeedForward expertParameters(BlockBuilder &block, const model::ModelConfig &model);
/// Appends the mixture of experts to the normalised `x` and adds it to `residual`.
[[nodiscard]] ValueId addExperts(BlockBuilder &block, const FeedForward &parameters, ValueId x, ValueId residual,
                                 const model::ModelConfig &model);

} // namespace stagelens::operators
