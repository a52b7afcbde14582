// 1F1B: one forward, one backward (PipeDream-flush, DAPPLE).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Peak on device r: min(m, p - r + k) microbatches, k barriers of the vocabulary method. Where the experiment gives uniform
/// durations of F and B, vocabulary passes are placed for them, else for a B of two F.
[[nodiscard]] base::Result<Schedule> oneForwardOneBackward(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
