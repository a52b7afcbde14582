// DualPipe and DualPipeV: forward and backward of different microbatches overlapped.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// DeepSeek-V3 (arXiv 2412.19437, section 3.2.1; deepseek-ai/DualPipe): two copies of the model in opposite directions, each
/// with half of the microbatches; in steady state a forward and a backward run as an overlapped pair. Needs an even number of
/// devices. Bubble: (p/2 - 1) (F&B + B - 3 W) with at least p microbatches per direction, more with fewer. Peak: p + 1 stages'
/// microbatches.
[[nodiscard]] base::Result<Schedule> dualPipe(const model::Experiment &experiment, const Durations &durations);

/// Half of DualPipe's devices (deepseek-ai/DualPipe, "cut-in-half"): the same order with one copy of the model, as a V of two
/// stages per device. Bubble: (p - 1) (F&B + B - 3 W), at the turn, with at least 2 p microbatches. Peak: 2 p + 1 stages'
/// microbatches.
[[nodiscard]] base::Result<Schedule> dualPipeV(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
