// Interlaced: the vocabulary layers are sharded as in tensor parallelism, and all devices run them at the same time (nnScaler;
// arXiv 2411.05288, appendix B).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// S includes the work of T, and a device waits for its collectives. Peak on device r: min(m, 3 p / 2 - r) microbatches. The
/// experiment's vocabulary method must be none, because the family has its own.
[[nodiscard]] base::Result<Schedule> interlaced(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
