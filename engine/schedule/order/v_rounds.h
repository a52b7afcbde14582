// Zero-bubble orders of a V, built in rounds for given costs ("Zero Bubble Pipeline Parallelism", arXiv 2401.10241,
// section 6).
#pragma once

#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

namespace stagelens::schedule {

/// Replaces `best`, whose placement is a V, if the shortest of several greedy orders is shorter. Each round runs at most one I
/// and one F on every device, for the stage whose input has arrived; if both have, I prefers the way down and F the way up. W
/// fill the gaps before them. No device holds more than `limit` activations between F and W. O(devices x microbatches) for each
/// of a few dozen orders.
void takeShorterVRounds(TimedOrder &best, int microbatches, const Durations &durations, int limit);

} // namespace stagelens::schedule
