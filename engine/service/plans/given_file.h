// The kind of a file that the user drops or opens, recognised by its content.
#pragma once

#include "engine/base/result.h"
#include "engine/model/model_config.h"

#include <filesystem>

namespace stagelens::service {

enum class FileKind : unsigned char {
    Experiment,  ///< a document of ours, or some other JSON, which the reader of documents then refuses
    ModelConfig, ///< Hugging Face's config.json
    Trace,       ///< Chrome or Kineto
    Schedule,    ///< no JSON: a custom schedule in either form
};
/// Reads the first 64 KiB at most. A file that cannot be read is called an experiment.
[[nodiscard]] FileKind kindOfFile(const std::filesystem::path &file);

/// A model from a config.json of Hugging Face.
struct FoundModel {
    model::ModelConfig shape;
    base::Problems differences; ///< settings that the engine computes otherwise: good for a plan, not for its weights
};
/// InvalidInput with every problem, each with the file's name.
[[nodiscard]] base::Result<FoundModel> modelFromConfig(const std::filesystem::path &file);

} // namespace stagelens::service
