// V-shaped families that repeat one pattern: V-Min, V-Half, V-ZB and 1F1B-V.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Each device has two stages, one on the way down and one on the way up, so that activations that live long and ones that
/// live short share a device ("Pipeline Parallelism with Controllable Memory", arXiv 2405.15362). The passes of a microbatch
/// lie at fixed times; every microbatch follows an interval (the work of one on a device) after the one before. What that
/// leaves idle while the pipeline fills and drains, squeeze() or the published reordering take out, within the memory that the
/// pattern needs: of several such orders the shortest is taken.
/// Peak of a device, in microbatches of its two stages: V-Min (p + 4) / 3, V-Half (p + 2) / 2 (rounded down), V-ZB p, and
/// 1F1B-V, which does not split its backward, about 2 p / 3; `barriers` of the vocabulary method more.
[[nodiscard]] base::Result<Schedule> vMin(const model::Experiment &experiment, const Durations &durations);
[[nodiscard]] base::Result<Schedule> vHalf(const model::Experiment &experiment, const Durations &durations);
[[nodiscard]] base::Result<Schedule> vZb(const model::Experiment &experiment, const Durations &durations);
[[nodiscard]] base::Result<Schedule> oneForwardOneBackwardV(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
