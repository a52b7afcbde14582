// The steps of the tails of an adaptive softmax among those of a pass.
#pragma once

#include "engine/runtime/executor/device_model.h"
#include "engine/runtime/executor/pass_run.h"
#include "engine/runtime/executor/step_state.h"

#include <functional>

namespace stagelens::runtime {

/// What the steps read and change.
struct TailInputs {
    const DeviceModel &model;
    StepState &state;
    const Context &context;
    std::function<Values(schedule::PassValue)> place; ///< returns where a step writes a value
};
/// Runs a step of tails, or one of the maps before shards of them. Returns false if it is another step. A whole output layer
/// adds the loss of its tails to that of the microbatch.
[[nodiscard]] bool runTailStep(PassRun &run, const schedule::PassStep &step, const TailInputs &inputs);

} // namespace stagelens::runtime
