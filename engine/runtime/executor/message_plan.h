// How long a device's messages can live. A message ends when its receiver has used it; the sender cannot see that, but what it
// receives later tells it: whoever answers has received.
#pragma once

#include "engine/base/units.h"
#include "engine/model/accounting.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <map>
#include <vector>

namespace stagelens::runtime {

/// The most that a device's messages can take, in whatever time the other devices run.
struct MessageBound {
    std::map<std::int64_t, int> blocks; ///< most at once, by floats
    base::Bytes bytes = 0;              ///< most at once, of all sizes together
};

/// One for every device of a lowered schedule. A message is over for its sender with the first pass that follows, along
/// whatever chain of messages, on the passes that use it (Lamport's happened-before, kept as vector clocks); with the step at
/// the latest. O(passes * devices); of plans too large for that the answer is as if all messages lived to the end of the step.
[[nodiscard]] std::vector<MessageBound> messageBounds(const schedule::Schedule &schedule, const model::EngineFloats &floats);

} // namespace stagelens::runtime
