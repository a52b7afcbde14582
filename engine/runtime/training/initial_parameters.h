// Reads initial parameters from a folder in Hugging Face layout.
#pragma once

#include "engine/runtime/training/session.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagelens::runtime {

struct InitialParameters {
    Tensors values;
    std::vector<std::string> notes; ///< warnings about what was not checked, is missing or was ignored
};

/// Reads the parameters from a folder that a run dumped or transformers saved, in F32, F16 or BF16. Checks names and shapes
/// against the plan, and that all values are finite. A config.json in the folder must describe the model of the plan. Names may
/// lack the prefix of the model body ("transformer.", "model."), as in a saved body; the output projection that a body lacks is
/// initialised from the plan's seed. A table of more positions than the sequence is truncated. Tensors that the model does not
/// have are refused, except buffers and, with tied weights, an output projection that equals the token table.
[[nodiscard]] base::Result<InitialParameters> readParameters(const std::filesystem::path &folder, const RunPlan &plan);

} // namespace stagelens::runtime
