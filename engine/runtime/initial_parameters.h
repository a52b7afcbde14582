// Parameters to start a run from, out of a folder in Hugging Face layout.
#pragma once

#include "engine/runtime/session.h"

#include <filesystem>

namespace stagelens::runtime {

/// The parameters in a folder that a run dumped or that transformers saved, checked against the plan's names and shapes. Where
/// the folder has a config.json, that must describe the plan's model as the engine computes it. Names may lack the prefix of
/// the model's body ("transformer.", "model."), as those of a body saved alone do. Tensors that the model does not have are
/// refused, but for buffers and, where the weights are tied, an output projection that equals the token table.
[[nodiscard]] base::Result<Tensors> readParameters(const std::filesystem::path &folder, const RunPlan &plan);

} // namespace stagelens::runtime
