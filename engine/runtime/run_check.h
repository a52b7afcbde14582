// Whether a plan can really be trained here, before anything is allocated.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

namespace stagelens::runtime {

/// Every reason why the engine cannot run it: model family, backend, schedule, and then memory.
[[nodiscard]] base::Result<> checkRun(const model::Experiment &experiment, const schedule::Schedule &schedule);

} // namespace stagelens::runtime
