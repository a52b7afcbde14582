// Parameters to start a run from, out of a folder in Hugging Face layout.
#pragma once

#include "engine/runtime/session.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagelens::runtime {

struct InitialParameters {
    Tensors values;
    std::vector<std::string> notes; ///< what could not be checked, is missing or was kept out; to be told
};

/// The parameters in a folder that a run dumped or that transformers saved, in F32, F16 or BF16, checked against the plan's
/// names and shapes; all are finite. Where the folder has a config.json, that must describe the plan's model as the engine
/// computes it. Names may lack the prefix of the model's body ("transformer.", "model."), as those of a body saved alone do;
/// the output projection that such a body lacks gets the first values of the plan's seed. Of a table of more positions than
/// the plan's sequence the first ones are taken. Tensors that the model does not have are refused, but for buffers and, where
/// the weights are tied, an output projection that equals the token table.
[[nodiscard]] base::Result<InitialParameters> readParameters(const std::filesystem::path &folder, const RunPlan &plan);

} // namespace stagelens::runtime
