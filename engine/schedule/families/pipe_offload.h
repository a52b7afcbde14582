// PipeOffload (Wan et al., arXiv 2503.01328): a looped pipeline whose microbatches follow each other at equal distances, so
// that the activations of the first chunks live long and those of the last ones briefly. The families po-h and po-f have the
// same order and offload half of the chunks, or all (model::offloadOf).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// PO-H and PO-F. Every v slots, each of one F and one I with its W, a device runs all chunks once. On the first device the F
/// of chunk c is in slot A(c) = c ceil(p/2) + floor(c g / v) with g = gcd(ceil(p/2), v), and its I in slot A(v - 1) + p - 1 +
/// A(v - 1 - c); F is half a slot later on each next device, I half a slot earlier. Peak on device r without offload:
/// (A(v - 1) + p - r) / v + k microbatches.
[[nodiscard]] base::Result<Schedule> pipeOffloadHalf(const model::Experiment &experiment, const Durations &durations);
[[nodiscard]] base::Result<Schedule> pipeOffloadFull(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
