// 1F1B over slices of sequences.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Seq1F1B (arXiv 2406.03488): 1F1B whose unit is one of the n slices of a sequence. Backwards run sequence by sequence, with
/// slices in reverse, because the gradients of a slice's keys and values need the backwards of all later slices. Peak on device
/// r: min(p - r - 1 + n + k, m n) slices, with k barriers of the vocabulary method. Bubble: that of 1F1B divided by n, for
/// slices of equal work.
[[nodiscard]] base::Result<Schedule> seq1F1B(const model::Experiment &experiment, const Durations &durations);

/// The same with split backwards: W follows I by r slices on device r, as in ZB-H1. Peak: p - 1 + n + k slices on every device.
[[nodiscard]] base::Result<Schedule> seq1F1BZb(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
