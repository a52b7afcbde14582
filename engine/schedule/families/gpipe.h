// GPipe: all forwards, then all backwards (Huang et al., arXiv 1811.06965).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Peak on every device: m microbatches. Vocabulary passes run between the forwards and the backwards.
[[nodiscard]] base::Result<Schedule> gpipe(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
