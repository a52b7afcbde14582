// Model shapes from Hugging Face's config.json, and back.
#pragma once

#include "engine/base/result.h"
#include "engine/model/model_config.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace stagelens::exchange {

struct HuggingFaceModel {
    /// Its sequence is the maximum length of the model.
    model::ModelConfig shape;
    /// Settings of the file that are not part of the shape and that the engine computes differently (the epsilon of LayerNorm,
    /// a rule of scaled positions, biases): the shape is valid for a plan, but the weights belong to another model.
    base::Problems differences;
};

/// Reads a config.json of model_type gpt2, llama, mixtral or qwen3_moe, as written by transformers 4 and 5. An activation
/// function other than the family's is a problem.
[[nodiscard]] base::Result<HuggingFaceModel> readHuggingFaceConfig(const std::filesystem::path &file);

/// Returns the text of a config.json that describes exactly what the engine computes, with the keys of transformers 4.
[[nodiscard]] std::string huggingFaceConfig(const model::ModelConfig &model);

/// Hugging Face stores the matrices of experts one by one, and the engine those of a layer as one parameter, with `*` in its
/// name instead of the number of the expert.
[[nodiscard]] bool isOfExperts(std::string_view parameter);
[[nodiscard]] std::string nameOfExpert(std::string_view parameter, int expert);

} // namespace stagelens::exchange
