// Replaces passes that contain a collective by two passes.
#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

namespace stagelens::runtime {

/// Splits each S of interlaced vocabulary layers, which contains the sum of the statistics, into S and T of VOCAB-1, with T
/// right after S. Copies to the host keep their anchors but not their planned times: a run begins them when their lane is
/// free. Returns other schedules unchanged.
[[nodiscard]] schedule::Schedule lowered(const schedule::Schedule &schedule);

/// Joins each S and T of a measured timeline into one S that begins with S and lasts as long as both. The wait between them
/// follows it, as in the simulator.
void joinOutputPasses(timeline::Timeline &timeline);

} // namespace stagelens::runtime
