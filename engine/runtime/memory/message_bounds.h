// Bounds how long the messages of a device live. A message ends when its receiver has used it. The sender cannot observe that,
// but later messages from the receiver imply it.
#pragma once

#include "engine/base/units.h"
#include "engine/operators/engine_floats.h"
#include "engine/passes/recipe_book.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// Floats of the tensors of a microbatch that messages contain: a number for each softmax of the output layer, rows of each
/// token table for all tokens and for those of a boundary, and those between stages. See operators::EngineFloats.
struct TensorFloats {
    std::int64_t statisticRows = 0;
    std::int64_t outputInput = 0;
    std::int64_t outputRows = 0;
    std::int64_t gathered = 0;
    std::int64_t tableRows = 0;
    std::int64_t boundary = 0;
};
[[nodiscard]] std::int64_t messageFloats(schedule::PassValue message, const TensorFloats &floats);

/// The greatest memory of a device's messages for any timing of the other devices.
struct MessageBound {
    std::map<std::int64_t, int> blocks; ///< greatest number of simultaneous messages, by their size in floats
    base::Bytes bytes = 0;              ///< greatest total
};

/// Returns a bound for every device of a lowered schedule. A message ends for its sender at the first pass that follows,
/// through a chain of messages, the passes that use it (Lamport's happened-before relation, as vector clocks), and at the
/// latest with the step. `floats`: of each slice of a sequence. O(passes * devices). For large plans all messages are assumed
/// to live until the end of the step.
[[nodiscard]] std::vector<MessageBound> messageBounds(const schedule::Schedule &schedule,
                                                      std::span<const operators::EngineFloats> floats,
                                                      const schedule::RecipeChoice &choice = {});

} // namespace stagelens::runtime
