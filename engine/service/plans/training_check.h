// Whether a plan can be trained.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

namespace stagelens::service {

/// Returns the bytes that a run of the plan needs on this machine, for all devices together; 0 for an invalid plan.
[[nodiscard]] base::Bytes bytesToTrain(const model::Experiment &experiment);
/// Returns the free memory of this machine; 0 if unknown.
[[nodiscard]] base::Bytes availableBytes();
/// Returns the passes that trainingProblems() goes through: those of a step on all ranks.
[[nodiscard]] std::size_t passesToCheck(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// Returns every reason why a resolved plan cannot be trained here now under its schedule, each with its field; empty if it
/// can.
[[nodiscard]] base::Problems trainingProblems(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// The same without what depends on this machine: its backends and its memory.
[[nodiscard]] base::Problems planProblems(const model::Experiment &experiment, const schedule::Schedule &schedule);

} // namespace stagelens::service
