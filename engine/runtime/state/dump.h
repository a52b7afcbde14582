// A run's parameters, gradients and tokens as files in Hugging Face layout, for checks by other programs (design/cli.md,
// "run --dump DIR").
#pragma once

#include "engine/runtime/session.h"

#include <filesystem>
#include <ios>

namespace stagelens::runtime {

/// Writes a dump as the run goes on.
class Dump {
public:
    Dump(std::filesystem::path folder, const RunPlan &plan) : m_folder(std::move(folder)), m_plan(plan) {}

    /// config.json and model.safetensors. Makes the folder.
    [[nodiscard]] base::Result<> writeBeginning(const Tensors &parameters) const;
    /// batch.safetensors and gradients.safetensors of the first step, and tokens.bin with its tokens: int32, little-endian,
    /// [steps, microbatches x microbatch size, sequence + 1], a row's inputs and then its last label.
    [[nodiscard]] base::Result<> writeFirstStep(const Batch &batch, const Tensors &gradients) const;
    /// Adds a later step's tokens to tokens.bin.
    [[nodiscard]] base::Result<> writeNextStep(const Batch &batch) const;
    /// The folder failed-step, for a step that could not be done: what writeBeginning() wrote, with the parameters before that
    /// step (a run may start from it), its batch, and result.json with the losses before it and the error.
    [[nodiscard]] base::Result<std::filesystem::path> writeFailure(const Tensors &parameters, const Batch &batch,
                                                                   const std::vector<double> &losses,
                                                                   const base::Error &error) const;
    /// model-final.safetensors and result.json.
    [[nodiscard]] base::Result<> writeEnd(const Tensors &parameters, const std::vector<double> &losses) const;

private:
    [[nodiscard]] base::Result<> writeBatch(const Batch &batch) const;
    [[nodiscard]] base::Result<> addTokens(const Batch &batch, std::ios::openmode mode) const;
    [[nodiscard]] base::Result<> writeTensors(const char *file, const Tensors &tensors) const;
    std::filesystem::path m_folder;
    const RunPlan &m_plan;
};

} // namespace stagelens::runtime
