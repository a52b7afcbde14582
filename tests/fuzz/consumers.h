// Whatever the programs do with a timeline that came from outside.
#pragma once

#include "engine/store/run_record.h"
#include "engine/timeline/timeline.h"

namespace stagelens::fuzz {

/// The run that timelines of the fuzzers belong to: 2 devices, 2 microbatches, a small model, durations that are given.
[[nodiscard]] const model::Experiment &smallExperiment();
/// Exports (with causes, memory profiles and arrows), durations, metrics, differences and look-ups. `timeline` may be anything
/// that a reader accepted for smallExperiment().
void consume(const timeline::TimelinePtr &timeline);

} // namespace stagelens::fuzz
