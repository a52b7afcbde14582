// One forward, one backward in turn after a lead of forwards: the shape that 1F1B, eager 1F1B, ZB-H1, ZB-H2 and PipeDream
// share.
#pragma once

#include "engine/schedule/order/layer_order.h"

#include <vector>

namespace stagelens::schedule {

/// How far a device is ahead.
struct Lead {
    int forwards = 1;   ///< before the first backward
    int weightLag = -1; ///< microbatches by which W follows I; below 0: backwards are not split
};

/// The order of a linear pipeline: device r begins with leads[r].forwards forwards, then backward and forward alternate. A
/// split backward's W stands before the forward that follows; what is left of them comes last.
[[nodiscard]] LayerOrder leadOrder(const std::vector<Lead> &leads, int microbatches);

} // namespace stagelens::schedule
