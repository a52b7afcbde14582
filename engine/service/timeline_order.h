// Whether a timeline is one of a schedule.
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

namespace stagelens::service {

/// Failed where the passes of the timeline are not those of the schedule, in their order: a stored timeline may be of an older
/// schedule, or of none. Nothing may be derived from both then.
[[nodiscard]] base::Result<> checkOrder(const timeline::Timeline &timeline, const schedule::Schedule &schedule);

} // namespace stagelens::service
