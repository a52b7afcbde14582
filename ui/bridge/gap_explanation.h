// Why a device waits: the requirement of its next pass that was met last.
#pragma once

#include "ui/timeline/timeline_view.h"

#include <QString>

namespace stagelens::ui {

/// "F of microbatch 3, stage 1".
[[nodiscard]] QString passWords(const schedule::Pass &pass);

/// A sentence about the gap of `device` that covers `time`; empty if a pass runs then.
[[nodiscard]] QString explainGap(const LaneGroup &group, int device, base::Nanos time, bool teachingUnits);

} // namespace stagelens::ui
