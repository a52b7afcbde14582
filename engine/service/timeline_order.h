// Checks that a timeline belongs to a schedule.
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

namespace stagelens::service {

/// Fails if the passes of the timeline differ from those of the schedule or its order: a stored timeline may belong to an older
/// schedule, or to none. Nothing may be derived from both then.
[[nodiscard]] base::Result<> checkOrder(const timeline::Timeline &timeline, const schedule::Schedule &schedule);

} // namespace stagelens::service
