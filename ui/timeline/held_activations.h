// Which activations a device holds at a moment of a timeline.
#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace stagelens::ui {

/// Returns the forwards whose activations a device holds at `time`, in the order in which they began. An activation lives from
/// the begin of its F to the end of its B, or of its W if the backward is split. O(passes before `time`).
[[nodiscard]] std::vector<schedule::Pass> heldAt(const timeline::Lane &lane, base::Nanos time);
/// Returns the largest number of activations that a device of the timeline ever holds. O(passes).
[[nodiscard]] int mostHeld(const timeline::Timeline &timeline);

} // namespace stagelens::ui
