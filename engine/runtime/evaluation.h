// The loss on tokens that training never sees.
#pragma once

#include "engine/runtime/data/token_source.h"
#include "engine/runtime/executor/executor.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace stagelens::runtime {

/// A forward pass and the place of its device in a list of them.
struct ForwardPass {
    std::size_t device = 0;
    schedule::Pass pass;
};
/// The forward passes of microbatch 0 on those devices, each after what it needs.
[[nodiscard]] std::vector<ForwardPass> forwardPasses(const schedule::Schedule &schedule, const std::vector<int> &devices);

/// Mean loss over the held-back tokens, or nothing where none are held back. Runs the forward passes of the schedule's first
/// microbatch for one microbatch of them after another, so that it takes no more memory than a step, and touches neither
/// parameters nor gradients. `steps` are done so far. Where `devices` are some
/// of several processes', their part of it. The devices' next beginStep() forgets what is left. Failed where the loss
/// is not finite.
[[nodiscard]] base::Result<std::optional<double>> evaluateHeldBack(const RunPlan &plan, const Devices &devices,
                                                                   const TokenSource &tokens, int steps,
                                                                   const std::stop_token &halt);

} // namespace stagelens::runtime
