// The part of the model on a device, for the analytic costs and the memory profile.
#pragma once

#include "engine/base/units.h"
#include "engine/layout/replica_cut.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <vector>

namespace stagelens::simulate {

/// Returns the number of layers of every stage of the schedule; 0 for stages that the plan does not list.
[[nodiscard]] std::vector<int> layersOfStages(const model::Experiment &experiment, const schedule::Schedule &schedule);

/// Returns the vocabulary rows of a rank's shard, including padding (which the engine does not use): over the tensor ranks, and
/// over the devices if the vocabulary is sharded.
[[nodiscard]] std::int64_t shardRows(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                     int tensor = 0);

/// Parameters on a rank: layers, embeddings, positions (first stage) and final norm (last stage).
struct DeviceParameters {
    std::int64_t count = 0;
    /// Parameters among `count` with gradients of both embedding layers (tied weights): they have two gradient buffers until
    /// the end of the step.
    std::int64_t tied = 0;
    std::int64_t summed = 0; ///< of `count`: those whose gradients tensor ranks have parts of (operators::needsSum())
};
[[nodiscard]] DeviceParameters deviceParameters(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                int device, int tensor = 0);

/// Returns how the plan's replicas divide those parameters, in the order of state_dict().
[[nodiscard]] layout::ReplicaCut replicaCut(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                            int tensor = 0);

} // namespace stagelens::simulate
