// The messages of a step, and one order of them that all devices follow.
#pragma once

#include "engine/backend/transport.h"
#include "engine/operators/packing.h"
#include "engine/passes/pass_recipe.h"
#include "engine/runtime/plan/run_plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// `stage`: that of the receiving pass, which only messages between stages need.
[[nodiscard]] backend::MessageKey keyOf(schedule::PassValue message, int stage, int microbatch);
/// Returns the floats of a message.
[[nodiscard]] std::int64_t messageFloats(schedule::PassValue message, const Shape &shape);
/// Returns the format in which a message from one device to another is packed, rows of the rank's own tokens; nothing if it
/// keeps its bits.
[[nodiscard]] std::optional<kernels::Codec> codecOf(const RunPlan &plan, schedule::PassValue message, int from, int to);

/// Returns the messages that the pass sends, including those to its own device.
[[nodiscard]] std::vector<backend::Message> messagesOf(const RunPlan &plan, int device, const schedule::Pass &pass);

/// Returns all messages of a step between different devices, sorted by the time at which they are computed if a forward takes
/// 1, a backward 2 and a vocabulary pass 1/4 of a unit. Ties go to the earlier microbatch, then to the lower device. So each
/// message follows all messages that it depends on: if each device sends and receives its messages in this order, one after
/// another, there is no deadlock even if a send blocks until it is received. The schedule must be free of deadlocks.
[[nodiscard]] std::vector<backend::Message> messageOrder(const RunPlan &plan);
/// Returns the same for the forward passes of one microbatch without a backward (evaluation.h).
[[nodiscard]] std::vector<backend::Message> forwardMessageOrder(const RunPlan &plan);

/// Returns, for example, "the output of F2@0 from device 0 to device 1".
[[nodiscard]] std::string messageText(const RunPlan &plan, const backend::Message &message);

} // namespace stagelens::runtime
