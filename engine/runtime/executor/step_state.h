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
    const std::int32_t *allLabels = nullptr;
    std::int64_t tokens = 0;                  ///< of a microbatch on this rank
    std::vector<std::int64_t> slicePlaces{0}; ///< first token of each slice in a microbatch; microbatch numbers count slices
    int replica = 0;                          ///< of the device
    int replicas = 1; ///< whose microbatches alternate in these arrays; a context rank has its own arrays
    std::vector<std::int64_t> countedTokens{0}; ///< by slice: the loss is the sum over the first of each microbatch
    int index = 0;
    StepUse use = StepUse::Gradients;
    std::vector<double> losses; ///< by microbatch; 0 except on the devices of the last stage

    [[nodiscard]] const std::int32_t *inputs(int microbatch) const { return allInputs + place(microbatch); }
    [[nodiscard]] const std::int32_t *labels(int microbatch) const { return allLabels + place(microbatch); }
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
