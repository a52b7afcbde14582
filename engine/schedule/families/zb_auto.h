// Automatic zero bubble: split backwards, ordered for the given costs and the memory of each device (Qi et al., arXiv
// 2401.10241, section 3.1).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// Returns the shortest of several greedy orders: backwards before forwards before weight gradients; as many forwards first as
/// fit before the first gradient arrives; weight gradients in gaps, or whenever nothing else can run. Also tries the orders of
/// takeShorterRounds(). Peak: the activation limit of the durations; 2 p + k microbatches without a limit.
[[nodiscard]] base::Result<Schedule> zbAuto(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
