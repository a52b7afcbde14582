// Model shapes from Hugging Face's config.json.
#pragma once

#include "engine/base/result.h"
#include "engine/model/model_config.h"

#include <filesystem>

namespace stagelens::cli {

/// Reads a config.json of model_type gpt2 or llama. The sequence is the longest that the model takes. Anything that this
/// program's architectures cannot express is a problem.
[[nodiscard]] base::Result<model::ModelConfig> huggingFaceModel(const std::filesystem::path &file);

} // namespace stagelens::cli
