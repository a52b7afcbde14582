// The result of a family's rule: the order of the layers' passes, before vocabulary passes are inserted.
#pragma once

#include "engine/base/units.h"
#include "engine/schedule/schedule.h"

#include <vector>

namespace stagelens::schedule {

/// F, B, I and W of every device, in order.
struct LayerOrder {
    Placement placement;
    std::vector<std::vector<Pass>> devices;
};

/// An order, and its makespan under the durations for which it was built.
struct TimedOrder {
    LayerOrder order;
    base::Nanos makespan = 0;
};

/// Keeps the first of two orders unless the other is shorter.
void takeIfShorter(TimedOrder &best, TimedOrder &&other);

/// The building-block rule for communication barriers of the output layer (arXiv 2411.05288, section 5.2). Each barrier adds
/// one interval between the last stage's F and B, so on every device all backward passes (B, I and W) run `barriers`
/// microbatches later relative to the forwards. A microbatch has v forwards on a device: barriers x v forwards move to the
/// front. The orders of forwards and of backwards do not change. A pair that loses its forward is no longer a pair. The maximum
/// number of microbatches that a device holds grows by `barriers`, up to all of them.
[[nodiscard]] LayerOrder withBarriers(const LayerOrder &order, int barriers);

} // namespace stagelens::schedule
