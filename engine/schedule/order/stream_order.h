// An initial order for list scheduling: every microbatch passes through the model without waiting.
#pragma once

#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

#include <cstdint>

namespace stagelens::schedule {

/// The parameters of a stream. Times are in units of a stage's F.
struct StreamPlan {
    Placement placement;
    int microbatches = 1;
    int barriers = 0; ///< of the output layer: each delays a microbatch by another interval between the last stage's F and B
    std::int64_t interval = 3; ///< how long a microbatch keeps a device busy
};

/// How the microbatches of a direction enter a stream.
enum class Entry : unsigned char {
    Spread, ///< at the rate at which the devices compute
    Slow,   ///< at half that rate, so that earlier microbatches run first on overloaded devices
    Groups, ///< in groups of as many as there are devices, as with interleaved stages
};

/// Returns F and B of all stages, on each device in the order in which they would begin if F took 1, B took 2, and no
/// microbatch waited. Devices would have to run several passes at the same time; only the order is used. It cannot deadlock.
[[nodiscard]] LayerOrder streamOrder(const StreamPlan &plan, Entry entry);

/// Returns the shortest of several orders that squeeze() builds from streams, in which no device holds more than `mostHeld`
/// passes F without their B (or the number that the stream holds, if greater). O(n log n) in the passes.
[[nodiscard]] LayerOrder shortestStream(const StreamPlan &plan, int mostHeld, const Durations &durations);

} // namespace stagelens::schedule
