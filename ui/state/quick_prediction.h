// How long predictions take, and which may run on the GUI thread.
#pragma once

#include "engine/model/experiment.h"

namespace stagelens::ui {

/// Returns about how many passes a prediction simulates, without building the schedule.
[[nodiscard]] double simulatedPasses(const model::Experiment &experiment);
/// Returns whether a plan is predicted within 10 ms, so that the answer to a keystroke need not be a job. The order of the
/// costliest family takes about 1.2 us a pass, that of 1F1B a tenth.
[[nodiscard]] bool isQuick(const model::Experiment &experiment);

} // namespace stagelens::ui
