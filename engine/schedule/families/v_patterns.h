// V-shaped families that repeat one pattern: V-Min, V-Half, V-ZB and 1F1B-V.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Each device has two stages, one on the way down and one on the way up, so activations with long and short lifetimes share a
/// device ("Pipeline Parallelism with Controllable Memory", arXiv 2405.15362). The passes of a microbatch have fixed times, and
/// each microbatch begins one interval (the work of a microbatch on a device) after the previous one. squeeze() or the
/// published reordering remove idle time while the pipeline fills and drains, within the memory of the pattern. The shortest of
/// several such orders is used. Peak of a device, in microbatches of its two stages: V-Min (p + 4) / 3, V-Half (p + 2) / 2
/// (rounded down), V-ZB p, and 1F1B-V, which does not split its backward, about 2 p / 3; plus the barriers of the vocabulary
/// method.
[[nodiscard]] base::Result<Schedule> vMin(const model::Experiment &experiment, const Durations &durations);
[[nodiscard]] base::Result<Schedule> vHalf(const model::Experiment &experiment, const Durations &durations);
[[nodiscard]] base::Result<Schedule> vZb(const model::Experiment &experiment, const Durations &durations);
[[nodiscard]] base::Result<Schedule> oneForwardOneBackwardV(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
