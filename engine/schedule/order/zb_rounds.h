// Zero-bubble orders of a linear pipeline, made in rounds for the costs at hand (Qi et al., arXiv 2401.10241, section 3.1).
#pragma once

#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

#include <cstdint>
#include <vector>

namespace stagelens::schedule {

/// Replaces `best` by the shortest of several greedy orders that is shorter. After the forwards that fit in before the first
/// gradient comes back, each round runs at most one F and one I on every device, with W in the gaps before them. No device
/// holds more than its limit of activations between F and W. O(devices x microbatches) for each of at most 8 orders.
void takeShorterRounds(TimedOrder &best, int microbatches, const Durations &durations, const std::vector<std::int64_t> &limits);

} // namespace stagelens::schedule
