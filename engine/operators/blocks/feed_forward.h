// The halves of a layer after attention: a dense MLP or a mixture of experts, both with SwiGLU.
#pragma once

#include "engine/operators/block.h"

#include <optional>

namespace stagelens::operators {

/// The parameters of a SwiGLU MLP: its matrices, or those of all experts stacked by rows.
struct FeedForward {
    int gate = 0;
    int up = 0;
    int down = 0;
};
struct MixtureOfExperts {
    int router = 0;
    int bias = -1; ///< of a sigmoid router
    FeedForward routed;
    std::optional<FeedForward> shared; ///< of the experts that compute every token
};

[[nodiscard]] FeedForward denseParameters(BlockBuilder &block, const model::ModelConfig &model);
/// Appends the MLP to the normalised `x` and adds it to `residual`.
[[nodiscard]] ValueId addDense(BlockBuilder &block, const FeedForward &parameters, ValueId x, ValueId residual,
                               const model::ModelConfig &model);

/// Adds the parameters of a mixture of experts, with the names of Hugging Face's Mixtral; `*` is the number of the expert.
[[nodiscard]] MixtureOfExperts expertParameters(BlockBuilder &block, const model::ModelConfig &model);
/// Appends the mixture of experts to the normalised `x` and adds it to `residual`.
[[nodiscard]] ValueId addExperts(BlockBuilder &block, const MixtureOfExperts &parameters, ValueId x, ValueId residual,
                                 const model::ModelConfig &model);

} // namespace stagelens::operators
