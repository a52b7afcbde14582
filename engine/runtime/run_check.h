// Whether a plan can really be trained here, before anything is allocated.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

namespace stagelens::runtime {

/// Bytes of a run under that schedule, all devices together.
[[nodiscard]] base::Bytes plannedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule);

/// Every reason why the engine cannot run it: model family, backend, schedule, memory.
[[nodiscard]] base::Result<> checkRun(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// Fails with field "model" where so many bytes are more than are free.
[[nodiscard]] base::Result<> checkMemory(base::Bytes required);

} // namespace stagelens::runtime
