// Automatic zero bubble: split backwards, put in order for the costs at hand and the memory of each device (Qi et al., arXiv
// 2401.10241, section 3.1).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// The shortest of several greedy orders: backwards before forwards before weight gradients; as many forwards first as fill the
/// time until the first gradient comes back; weight gradients in gaps, or wherever nothing else can run. Also tries the orders
/// of takeShorterRounds(). Peak: the activation limit of the durations, 2 p + k microbatches where there is none.
[[nodiscard]] base::Result<Schedule> zbAuto(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
