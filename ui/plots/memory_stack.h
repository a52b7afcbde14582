// Memory over time as columns of pixels: a pure function of (profile, window), whose peaks are never lost.
#pragma once

#include "engine/simulate/memory.h"
#include "ui/canvas/geometry.h"

#include <vector>

namespace stagelens::ui {

/// Columns [x, x + width) in which a device holds the same bytes, or whose greatest holding this is.
struct MemoryColumn {
    int x = 0;
    int width = 0;
    const simulate::MemoryStep *step = nullptr;
};

/// The columns of a window between time 0 and `end`. Where several changes fall on one pixel, the greatest total is shown.
[[nodiscard]] std::vector<MemoryColumn> memoryColumns(const simulate::MemoryProfile &profile, const LaneWindow &window,
                                                      base::Nanos end);

/// Returns the first moment of the peak.
[[nodiscard]] base::Nanos peakTime(const simulate::MemoryProfile &profile);

} // namespace stagelens::ui
