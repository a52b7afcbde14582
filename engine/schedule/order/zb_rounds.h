// Zero-bubble orders of a linear pipeline, built in rounds for given costs (Qi et al., arXiv 2401.10241, section 3.1).
#pragma once

#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

#include <cstdint>
#include <vector>

namespace stagelens::schedule {

/// Replaces `best` if the shortest of several greedy orders is shorter. After the forwards that fit before the first gradient
/// arrives, each round runs at most one F and one I on every device, with W in the gaps before them. No device holds more
/// activations between F and W than its limit. O(devices x microbatches) for each of at most 8 orders.
void takeShorterRounds(TimedOrder &best, int microbatches, const Durations &durations, const std::vector<std::int64_t> &limits);

} // namespace stagelens::schedule
