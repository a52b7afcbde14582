// Alternating forwards and backwards after a number of warm-up forwards: the shape of 1F1B, eager 1F1B, ZB-H1, ZB-H2 and
// PipeDream.
#pragma once

#include "engine/schedule/order/layer_order.h"

#include <vector>

namespace stagelens::schedule {

/// The warm-up of a device.
struct Lead {
    int forwards = 1;      ///< before the first backward
    int weightLag = -1;    ///< microbatches by which W follows I; below 0: backwards are not split
    bool hasPairs = false; ///< a backward that is not split, and the forward that would follow it, are an overlapped pair
};

/// Returns the order of a linear pipeline: device r begins with leads[r].forwards forwards, then backward and forward
/// alternate. W of a split backward runs before the next forward; the remaining W run last.
[[nodiscard]] LayerOrder leadOrder(const std::vector<Lead> &leads, int microbatches);

} // namespace stagelens::schedule
