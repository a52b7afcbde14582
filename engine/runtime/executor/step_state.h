// The step that a device currently runs.
#pragma once

#include "engine/runtime/plan/run_plan.h"

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// The purpose of a step's passes.
enum class StepUse : unsigned char {
    Training,   ///< optimize() follows; with weight versions, the last pass of a microbatch on a stage updates the weights
    Gradients,  ///< no weights change
    Evaluation, ///< forward passes only, with the newest weights whatever the schedule says
};

/// Tokens, purpose and losses of a device's current step.
struct StepState {
    const std::int32_t *allInputs = nullptr; ///< [microbatches, replicas, tokens], in the device's memory
    /// Of a hashed input: for each hash, the rows of the same tokens in the place of their ids.
    std::vector<const std::int32_t *> hashes = {};
    const std::int32_t *allLabels = nullptr; ///< likewise, of all output heads of a token
    std::int64_t outputHeads = 1;
    const std::int32_t *allWords = nullptr;   ///< of an adaptive softmax: the words whose rows of its head the labels are
    std::int64_t tokens = 0;                  ///< of a microbatch on this rank
    std::vector<std::int64_t> slicePlaces{0}; ///< first token of each slice in a microbatch; microbatch numbers count slices
    std::int64_t firstNumber = 0;             ///< of the microbatches of this replica, among those of all steps
    int numberStride = 1;                     ///< from one of them to the next
    int replica = 0;                          ///< of the device
    int replicas = 1; ///< whose microbatches alternate in these arrays; a context rank has its own arrays
    std::vector<std::int64_t> countedTokens{0}; ///< by slice: the loss is the sum over the first of each microbatch
    int index = 0;
    StepUse use = StepUse::Gradients;
    std::vector<double> losses; ///< by microbatch; 0 except on the devices of the last stage

    /// Returns the rows of the input table that add up to the embeddings of a microbatch: as many lists as a token has rows.
    [[nodiscard]] std::size_t inputLists() const { return hashes.empty() ? 1 : hashes.size(); }
    [[nodiscard]] const std::int32_t *inputRows(std::size_t list, int microbatch) const
    {
        return (hashes.empty() ? allInputs : hashes[list]) + place(microbatch);
    }
    [[nodiscard]] const std::int32_t *labels(int microbatch) const { return allLabels + place(microbatch) * outputHeads; }
    [[nodiscard]] const std::int32_t *words(int microbatch) const { return allWords + place(microbatch); }
    /// Returns the number of a microbatch among those of all steps and replicas, which slices of its sequences share.
    [[nodiscard]] std::int64_t number(int microbatch) const
    {
        return firstNumber + microbatch / std::ssize(slicePlaces) * numberStride;
    }
    [[nodiscard]] std::int64_t counted(int microbatch) const { return countedTokens[sliceOf(microbatch)]; }
    /// Returns "step 2 of 50", counted from 1.
    [[nodiscard]] std::string text(const RunPlan &plan) const
    {
        return fmt::format("step {} of {}", index + 1, plan.experiment.training.steps);
    }

private:
    [[nodiscard]] std::size_t sliceOf(int microbatch) const
    {
        return static_cast<std::size_t>(microbatch) % slicePlaces.size();
    }
    [[nodiscard]] std::int64_t place(int microbatch) const
    {
        const std::int64_t sequence = microbatch / std::ssize(slicePlaces);
        return (sequence * replicas + replica) * tokens + slicePlaces[sliceOf(microbatch)];
    }
};

} // namespace stagelens::runtime
