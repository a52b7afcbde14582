// Timelines of several steps.
#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

namespace stagelens::simulate {

/// Returns the timeline of a synchronous schedule of several iterations from that of its step. A step begins when all devices
/// have ended all work of the step before, as far as it does not run beside the passes of the next (Timeline::period).
[[nodiscard]] timeline::Timeline repeated(const timeline::Timeline &step, const schedule::Schedule &schedule);

/// Notes the weight version of each pass of an asynchronous schedule. With several iterations, which do not drain, also the
/// steps and their period: the time from the end of the first step to that of the last, divided by the steps in between. That
/// leaves out the fill before the first step's end, and in a steady state it is the time of a step.
void noteIterations(timeline::Timeline &timeline, const schedule::Schedule &schedule);

/// Returns the time between two steps in which no device runs a pass, summed over the timeline; 0 for one step.
[[nodiscard]] base::Nanos betweenSteps(const timeline::Timeline &timeline);

} // namespace stagelens::simulate
