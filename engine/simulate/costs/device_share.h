// What a device holds of the model, shared by the analytic costs and the memory profile.
#pragma once

#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <vector>

namespace stagelens::simulate {

/// Layers of every stage of the schedule; stages that the plan does not name have none.
[[nodiscard]] std::vector<int> layersOfStages(const model::Experiment &experiment, const schedule::Schedule &schedule);

/// Vocabulary rows of one device's shard, padding included (which the engine does without); all rows where
/// nothing is sharded.
[[nodiscard]] std::int64_t shardRows(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);

/// Parameters on a device: layers, embeddings, positions (first stage) and final norm (last stage).
struct DeviceParameters {
    std::int64_t count = 0;
    /// Of them, those that collect the gradients of both embedding layers (tied weights): they keep two gradient buffers until
    /// the end of the step.
    std::int64_t tied = 0;
};
[[nodiscard]] DeviceParameters deviceParameters(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                int device);

} // namespace stagelens::simulate
