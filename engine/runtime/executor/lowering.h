// What the executor runs in place of the passes that are two pieces of work with a collective between them.
#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

namespace stagelens::runtime {

/// An S of interlaced vocabulary layers is both output passes with the sum of the statistics between them: it becomes S and T
/// of VOCAB-1, T right after S, so that the devices wait for each other there. Every other schedule stays as it is.
[[nodiscard]] schedule::Schedule lowered(const schedule::Schedule &schedule);

/// The way back, in what was measured: one S of the work of both, from the beginning of S on. What the device waited in between
/// stands after it, as the simulator has it, so that work and waiting can be told apart and compared.
void joinOutputPasses(timeline::Timeline &timeline);

} // namespace stagelens::runtime
