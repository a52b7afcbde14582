// Why a device waits: the requirement of its next pass that was met last.
#pragma once

#include "engine/simulate/idle_causes.h"
#include "ui/state/timeline_content.h"

#include <QString>

namespace stagelens::ui {

/// "F of microbatch 3, stage 1". `slices` of a sequence that microbatch numbers count.
[[nodiscard]] QString passWords(const schedule::Pass &pass, int slices = 1);

/// A sentence about the gap of `device` that covers `time`; empty if a pass runs then. With the causes of the group's idle
/// time it says what each part of the gap is for; without (null) only which requirement was met last.
[[nodiscard]] QString explainGap(const LaneGroup &group, const simulate::IdleCauses *causes, int device, base::Nanos time,
                                 bool teachingUnits);

} // namespace stagelens::ui
