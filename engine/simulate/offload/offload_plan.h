// Which activations of a plan wait on the host, and between which passes they are copied.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"

namespace stagelens::simulate {

/// Returns the schedule with the copies of each device that the experiment's offload asks for, anchored where its planned
/// costs place them (lane_rule.h). With a fraction, activations that would keep passes waiting are placed as if all passes were
/// slower; a simulation then says what they cost. Returns the schedule itself without offload.
[[nodiscard]] base::Result<schedule::Schedule> withOffload(const model::Experiment &experiment, schedule::Schedule schedule);
/// The same for costs at hand.
[[nodiscard]] base::Result<schedule::Schedule> withOffload(const model::Experiment &experiment, schedule::Schedule schedule,
                                                           const CostModel &costs);

/// Returns a problem with field "schedule.host_memory" if a node has less memory than the copies of its ranks need. `hostBytes`
/// is the peak of each device.
[[nodiscard]] base::Result<> checkHostMemory(const model::Experiment &experiment, const std::vector<base::Bytes> &hostBytes);

/// Returns the most microbatches whose activations a device holds by the anchors of its copies, whatever the passes take, in
/// units of the device's whole share of layers.
[[nodiscard]] double anchoredPeakMicrobatches(const schedule::Schedule &schedule, int device);

} // namespace stagelens::simulate
