// Zero-bubble orders of a V, made in rounds for the costs at hand ("Zero Bubble Pipeline Parallelism", arXiv 2401.10241,
// section 6).
#pragma once

#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

namespace stagelens::schedule {

/// Replaces `best`, whose placement is a V, by the shortest of several greedy orders that is shorter. Each round runs at most
/// one I and one F on every device: of a device's two stages the one whose input has come, the way down first for gradients and
/// the way up first for activations; W fill the gaps before them. No device holds more than `limit` activations between F and
/// W. O(devices x microbatches) for each order, of which there are some tens at most.
void takeShorterVRounds(TimedOrder &best, int microbatches, const Durations &durations, int limit);

} // namespace stagelens::schedule
