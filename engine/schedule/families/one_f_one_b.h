// 1F1B: one forward, one backward (PipeDream-flush, DAPPLE).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Peak on device r: min(m, p - r + k) microbatches, with k barriers of the vocabulary method. Vocabulary passes are placed for
/// the experiment's uniform durations of F and B if it has them, otherwise for B = 2 F. With schedule.overlapped_pairs:
/// min(m, 2 (p - r) + k).
[[nodiscard]] base::Result<Schedule> oneForwardOneBackward(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
