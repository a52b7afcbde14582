// Computes the loss on held-back tokens.
#pragma once

#include "engine/runtime/data/token_source.h"
#include "engine/runtime/executor/executor.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace stagelens::runtime {

/// A forward pass and the index of its device in a list.
struct ForwardPass {
    std::size_t device = 0;
    schedule::Pass pass;
};
/// Returns the forward passes of microbatch 0 (with slices, of the slices of its sequences) on those devices, sorted by
/// dependency.
[[nodiscard]] std::vector<ForwardPass> forwardPasses(const schedule::Schedule &schedule, const std::vector<int> &devices);

/// Returns the sum of the losses of the held-back tokens, or nothing if there are none. Runs the forward passes of the first
/// microbatch of the schedule for one microbatch after another, so that it needs no more memory than a step. Changes neither
/// parameters nor gradients. `steps` is the number of steps done. With several processes returns the part of `devices`. Call
/// beginStep() on the devices afterwards. Fails if the loss is not finite.
[[nodiscard]] base::Result<std::optional<double>> evaluateHeldBack(const RunPlan &plan, const std::vector<Device *> &devices,
                                                                   const TokenSource &tokens, int steps,
                                                                   const std::stop_token &halt);

} // namespace stagelens::runtime
