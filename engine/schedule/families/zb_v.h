// ZB-V: two stages per device. If F, I and W take equally long, the bubble is (p - 1) F / 2, the slant of a synchronised step.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// The handcrafted order of "Zero Bubble Pipeline Parallelism" (arXiv 2401.10241, section 6; also PyTorch's
/// ScheduleZBVZeroBubble) for any number of microbatches, or an order for the durations if that is shorter
/// (takeShorterVRounds()). Peak: p microbatches of its two stages on every device.
[[nodiscard]] base::Result<Schedule> zbV(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
