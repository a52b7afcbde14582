// Eager 1F1B: 1F1B with twice as many warm-up forwards, which hide slow messages (arXiv 2405.15362, figure 1).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Peak on device r: min(m, 2 (p - r) - 1 + k) microbatches, k barriers of the vocabulary method.
[[nodiscard]] base::Result<Schedule> eager(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
