// The messages of a step, and one order of them that suits all devices.
#pragma once

#include "engine/backend/transport.h"
#include "engine/passes/requirements.h"
#include "engine/runtime/executor/run_plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// Rounds of the transfer `Statistics`: every method's first; the naive method's sums; VOCAB-2's reductions.
enum Round : std::uint16_t { kStatistics = 0, kSums = 1, kExponentials = 2, kTargets = 3 };

/// `slot` is a stage (of a gradient, stages() more than that), a round, or 0.
[[nodiscard]] backend::MessageKey keyOf(schedule::Transfer transfer, int slot, int microbatch);

/// What the pass of that device gives away, with what it gives to the device itself.
[[nodiscard]] std::vector<backend::Message> messagesOf(const RunPlan &plan, int device, const schedule::Pass &pass);

/// All messages of a step from one device to another. They stand in the order in which they are made where a forward takes 1,
/// a backward 2 and a pass of the vocabulary 1/4 of a unit; of equals first those of the earlier microbatch, then of the lower
/// device. So whatever a message waits for stands before it: where each device carries out its own ones in this order, one
/// after the other, and a send takes until it is received, there is no dead-lock. The schedule has none itself.
[[nodiscard]] std::vector<backend::Message> messageOrder(const RunPlan &plan);
/// The same of the forward passes of one microbatch that gets no backward (evaluation.h).
[[nodiscard]] std::vector<backend::Message> forwardMessageOrder(const RunPlan &plan);

/// "the output of F2@0 from device 0 to device 1", for people.
[[nodiscard]] std::string messageText(const RunPlan &plan, const backend::Message &message);

} // namespace stagelens::runtime
