// Predictions as lanes of the timeline.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/state/timeline_content.h"

namespace stagelens::ui {

/// The lanes of a prediction, marked as one.
[[nodiscard]] LaneGroup predictedGroup(const service::PredictionPtr &prediction);
/// Bytes held over time in a run that has a timeline and a schedule; null without a model.
[[nodiscard]] std::shared_ptr<const simulate::MemoryProfiles> memoryOf(const service::RunSnapshot &run);

/// Returns what the devices hold of activations, of a microbatch `unit`, its share on one of v stages of a device `unit` / v:
/// from the begin of F to the end of B, or of W if the backward is split.
[[nodiscard]] std::shared_ptr<const simulate::MemoryProfiles> heldMicrobatches(timeline::TimelinePtr timeline,
                                                                               base::Bytes unit);

/// Returns what makes the profiles of the devices if replicas sharded nothing, with the same times; null if they shard nothing,
/// and without a model.
[[nodiscard]] simulate::MemoryProfiles::Maker unshardedMemory(const model::Experiment &experiment,
                                                              std::shared_ptr<const schedule::Schedule> schedule,
                                                              timeline::TimelinePtr timeline);

/// Returns how long a pass computes again what its forward has dropped; 0 if unknown.
[[nodiscard]] base::Nanos recomputedTime(const LaneGroup &group, timeline::SliceId slice);

} // namespace stagelens::ui
