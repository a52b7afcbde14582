// Repeating patterns of a V, as tables of unit slots ("Pipeline Parallelism with Controllable Memory", arXiv 2405.15362).
#pragma once

#include "engine/schedule/order/layer_order.h"

#include <vector>

namespace stagelens::schedule {

/// The slots in which the passes of microbatch 0 begin on a device; each further microbatch begins an interval later.
struct VOffsets {
    int forwardDown = 0;
    int forwardUp = 0;
    int backwardUp = 0; ///< of the stage on the way up, which is the later one in the model
    int backwardDown = 0;
};

/// A slot is as long as F, I or W of a stage; a whole backward takes two.
struct VPattern {
    /// The work of one microbatch on a device.
    static constexpr int kInterval = 6;
    std::vector<VOffsets> devices;
    bool splitsBackward = true;
};

/// Returns the repeated pattern, with each W in the first idle slot after its I, oldest first.
[[nodiscard]] LayerOrder repeatedOrder(const VPattern &pattern, int microbatches);

/// Returns the same after the reordering steps of the paper: passes move to the earliest idle slot that their inputs allow, if
/// no device then holds more than the fullest one of the repeated pattern. With split backwards, passes move only during
/// warm-up (until device 0 runs its first I of the way down) and after its last F. The result does not depend on durations.
[[nodiscard]] LayerOrder reorderedOrder(const VPattern &pattern, int microbatches);

} // namespace stagelens::schedule
