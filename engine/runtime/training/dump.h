// Writes parameters, gradients and tokens of a run in Hugging Face layout, for checks by other programs (`stagelens-cli run
// --dump DIR`).
#pragma once

#include "engine/runtime/training/session.h"

#include <filesystem>
#include <ios>

namespace stagelens::runtime {

/// Writes a dump during a run.
class Dump {
public:
    Dump(std::filesystem::path folder, const RunPlan &plan) : m_folder(std::move(folder)), m_plan(plan) {}

    /// Creates the folder and writes config.json and model.safetensors.
    [[nodiscard]] base::Result<> writeBeginning(const Tensors &parameters) const;
    /// Writes batch.safetensors and gradients.safetensors of the first step, and tokens.bin with its tokens: int32,
    /// little-endian, [steps, microbatches x microbatch size, sequence + 1]; a row has the inputs and then the last label.
    [[nodiscard]] base::Result<> writeFirstStep(const Batch &batch, const Tensors &gradients) const;
    /// Appends the tokens of a later step to tokens.bin.
    [[nodiscard]] base::Result<> writeNextStep(const Batch &batch) const;
    /// Writes the folder failed-step for a step that failed: what writeBeginning() writes, with the parameters before that
    /// step, from which a run may start; its batch; and result.json with the losses before it and the error. Returns the
    /// folder.
    [[nodiscard]] base::Result<std::filesystem::path> writeFailure(const Tensors &parameters, const Batch &batch,
                                                                   const std::vector<double> &losses,
                                                                   const base::Error &error) const;
    /// Writes model-final.safetensors and result.json.
    [[nodiscard]] base::Result<> writeEnd(const Tensors &parameters, const std::vector<double> &losses) const;

private:
    [[nodiscard]] base::Result<> writeBatch(const Batch &batch) const;
    [[nodiscard]] base::Result<> addTokens(const Batch &batch, std::ios::openmode mode) const;
    [[nodiscard]] base::Result<> writeTensors(const char *file, const Tensors &tensors) const;
    std::filesystem::path m_folder;
    const RunPlan &m_plan;
};

} // namespace stagelens::runtime
