// The typical step of a run: each pass at its median over the steps.
#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

#include <cstdint>
#include <optional>
#include <span>

namespace stagelens::simulate {

struct TypicalStep {
    timeline::Timeline timeline;
    std::int64_t steps = 0; ///< that were replayed: all, or the first that have a million slices together
};

/// Replays the steps: each pass takes its median time over them, and begins when its device is free and the results that it
/// needs are there, later by the median of how much later than that it began in the steps. A step that was disturbed once moves
/// nothing, as long as most others were not. Vocabulary and processor times, optimizer and anchored work are medians as well.
/// Absent if there are fewer than three steps, if the steps differ in the order of their passes, if a pass begins before one
/// that it needs has ended (clocks of an import that do not agree), or if they have a period of several steps.
[[nodiscard]] std::optional<TypicalStep> typicalStep(std::span<const timeline::TimelinePtr> steps,
                                                     const schedule::Schedule &schedule);

} // namespace stagelens::simulate
