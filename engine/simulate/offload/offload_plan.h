// Which activations of a plan are offloaded, and between which passes they are copied.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"

namespace stagelens::simulate {

/// Returns the schedule with the copies that the experiment's offload requires, anchored where its planned costs place them
/// (lane_rule.h). With a fraction, activations whose copies would delay passes are placed as if all passes were slower; a
/// simulation then shows the cost. Families that offload themselves (model::offloadOf) offload, of the stages of the pipeline
/// that hold their activations longest, those activations whose copies delay no pass. Without offload, returns the schedule
/// unchanged.
[[nodiscard]] base::Result<schedule::Schedule> withOffload(const model::Experiment &experiment, schedule::Schedule schedule);
/// The same for given costs.
[[nodiscard]] base::Result<schedule::Schedule> withOffload(const model::Experiment &experiment, schedule::Schedule schedule,
                                                           const CostModel &costs);

/// Returns a problem with field "schedule.host_memory" if a node has less memory than the copies of its ranks need. `hostBytes`
/// is the peak of each device.
[[nodiscard]] base::Result<> checkHostMemory(const model::Experiment &experiment, const std::vector<base::Bytes> &hostBytes);

/// Returns the maximum number of microbatches whose activations a device holds by the anchors of its copies, independent of
/// durations, in units of the device's whole share of layers.
[[nodiscard]] double anchoredPeakMicrobatches(const schedule::Schedule &schedule, int device);

} // namespace stagelens::simulate
