// A first order for list scheduling: every microbatch streams through the model without a stop.
#pragma once

#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

#include <cstdint>

namespace stagelens::schedule {

/// What a stream is made of. Times are in units of a stage's F.
struct StreamPlan {
    Placement placement;
    int microbatches = 1;
    int barriers = 0; ///< of the output layer: each keeps a microbatch for another interval between the last stage's F and B
    std::int64_t interval = 3; ///< how long a microbatch keeps a device busy
};

/// How the microbatches of a direction enter a stream.
enum class Entry : unsigned char {
    Spread, ///< as fast as the devices work
    Slow,   ///< half as fast, so that earlier microbatches go first where devices are short of time
    Groups, ///< as many as there are devices at once, as with interleaved stages
};

/// F and B of all stages, each device's in the order in which they would begin if F took 1, B took 2, and each microbatch went
/// through without waiting. Devices would have to run several passes at once; the order is what counts. It cannot dead-lock.
[[nodiscard]] LayerOrder streamOrder(const StreamPlan &plan, Entry entry);

/// The shortest of some orders that squeeze() makes of streams, where no device holds more than `mostHeld` passes F without
/// their B (or what the stream holds, if that is more). O(n log n) in the passes.
[[nodiscard]] LayerOrder shortestStream(const StreamPlan &plan, int mostHeld, const Durations &durations);

} // namespace stagelens::schedule
