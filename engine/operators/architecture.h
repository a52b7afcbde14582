// The architectures: their layers, and the names of their parameters in Hugging Face's state_dict(). One file each in blocks/.
#pragma once

#include "engine/operators/block.h"

#include <string_view>

namespace stagelens::operators {

/// A model is the token table, the position table if there is one, the layers, the final norm and, untied, the output
/// projection.
struct Architecture {
    Block (*block)(const model::ModelConfig &model) = nullptr; ///< one layer
    std::string_view tokenTable;                               ///< "transformer.wte.weight", [V, h]
    std::string_view positionTable;                            ///< [s, h]; empty: none
    std::string_view layers;                                   ///< "transformer.h.", followed by the number of the layer
    std::string_view finalNorm;                                ///< "transformer.ln_f"
    std::string_view output;                                   ///< "lm_head.weight", [V, h]
    bool normsHaveBias = false;                                ///< LayerNorm if true, otherwise RMSNorm

    [[nodiscard]] bool hasPositionTable() const { return !positionTable.empty(); }
};

[[nodiscard]] const Architecture &architectureOf(model::ModelFamily family);
/// Returns a layer of the model. Sizes must be valid; see model::validate(). If layers differ, returns one with experts.
[[nodiscard]] Block blockOf(const model::ModelConfig &model);
/// Returns a layer with or without experts.
[[nodiscard]] Block blockOf(const model::ModelConfig &model, bool hasExperts);

extern const Architecture kGpt;
extern const Architecture kLlama;

} // namespace stagelens::operators
