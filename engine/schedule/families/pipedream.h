// Asynchronous 1F1B: the pipeline is never flushed, so the steady state has no bubble, but weights are stale.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// PipeDream (Harlap et al., arXiv 1806.03377): every backward is followed by an update, and each microbatch keeps the weights
/// of its forward: p - r versions on device r. Microbatch i computes with the weights of i - (p - r).
[[nodiscard]] base::Result<Schedule> pipedream(const model::Experiment &experiment, const Durations &durations);

/// PipeDream-2BW (Narayanan et al., arXiv 2006.09503): one update for m >= p microbatches, two versions, one step stale.
[[nodiscard]] base::Result<Schedule> pipedream2bw(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
