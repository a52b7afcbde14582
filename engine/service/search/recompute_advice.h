// `--recompute auto`: the fewest layers of each stage to recompute so that every device keeps a memory limit.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <optional>
#include <stop_token>

namespace stagelens::service {

/// The plan with the fewest recomputed layers of each stage, by the byte-exact plan of every device under the schedule's order.
/// On a device with several stages, those with the most microbatches in flight recompute first. The limit is
/// `limit`, else schedule.memory_limit, else the capacity of the hardware. Fails with InvalidInput if there is no limit, if the
/// durations are given without a model, or if a device needs more with all layers recomputed; with Cancelled if `stop` is
/// requested.
[[nodiscard]] base::Result<model::Experiment> withLeastRecomputation(const model::Experiment &experiment, int cores,
                                                                     std::optional<base::Bytes> limit = {},
                                                                     const std::stop_token &stop = {});

} // namespace stagelens::service
