// What a family's rule makes: the order of the layers' passes, before vocabulary passes are put in.
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

/// An order, and how long it takes under the durations that it was made for.
struct TimedOrder {
    LayerOrder order;
    base::Nanos makespan = 0;
};

/// Keeps the first of two orders unless the other is shorter.
void takeIfShorter(TimedOrder &best, TimedOrder &&other);

/// The building-block rule for communication barriers of the output layer (arXiv 2411.05288, section 5.2): each puts one more
/// interval between the last stage's F and B, so that on every device all backward passes (B, I and W) come `barriers`
/// microbatches later against the forwards. A microbatch has v forwards on a device: barriers x v of them go to the front, and
/// the device's last ones lose their place. Neither the order of the forwards nor that of the backwards changes. A pair that
/// loses its forward is a pair no more. The most microbatches that a device holds grow by `barriers`, up to all of them.
[[nodiscard]] LayerOrder withBarriers(const LayerOrder &order, int barriers);

} // namespace stagelens::schedule
