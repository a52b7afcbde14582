// Finds the part of a timeline that a step shows enlarged.
#pragma once

#include "ui/learn/live_plan.h"

namespace stagelens::ui {

struct LaneGroup;

/// A part of a timeline, with its figures.
struct TimelinePart {
    base::Nanos begin = 0;
    base::Nanos end = 0;
    base::Nanos time = 0; ///< of its passes or operators together
    double flops = 0;     ///< of a rank, in matrix products and attention
    timeline::SliceId first;
};
/// Returns the part; nothing if the timeline has no such pass or operator, or the operators of its passes are not known. GUI
/// thread only.
[[nodiscard]] std::optional<TimelinePart> partOf(const LaneGroup &group, const CloseUp &closeUp);
/// Returns the range of time that shows a part with some room around it.
[[nodiscard]] std::pair<base::Nanos, base::Nanos> rangeOf(const TimelinePart &part);

} // namespace stagelens::ui
