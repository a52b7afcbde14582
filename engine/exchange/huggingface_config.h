// Model shapes from Hugging Face's config.json, and back.
#pragma once

#include "engine/base/result.h"
#include "engine/model/model_config.h"

#include <filesystem>
#include <string>

namespace stagelens::exchange {

struct HuggingFaceModel {
    /// Its sequence is the longest that the model takes.
    model::ModelConfig shape;
    /// Settings of the file that do not show in the shape and that the engine computes otherwise (the epsilon of LayerNorm,
    /// a rule of scaled positions, biases): the file is good for a plan, but its weights are those of another model.
    base::Problems differences;
};

/// Reads a config.json of model_type gpt2 or llama, as transformers 4 and 5 write it. An activation function that is not the
/// family's own is a problem.
[[nodiscard]] base::Result<HuggingFaceModel> readHuggingFaceConfig(const std::filesystem::path &file);

/// The text of a config.json that describes exactly what the engine computes, in the keys of transformers 4.
[[nodiscard]] std::string huggingFaceConfig(const model::ModelConfig &model);

} // namespace stagelens::exchange
