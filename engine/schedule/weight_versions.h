// The weight version that each pass of an asynchronous schedule uses.
#pragma once

#include "engine/schedule/schedule.h"

#include <cstdint>
#include <vector>

namespace stagelens::schedule {

/// Returns whether a pass is the last of its microbatch on its stage, after which PipeDream updates the stage: B, or W if it is
/// split.
[[nodiscard]] constexpr bool endsBackward(PassKind kind)
{
    return activationChange(kind) < 0;
}

/// Returns, by stage and microbatch, after how many updates of its stage the passes of the microbatch use the weights; the
/// first step has had none before it. Empty if the schedule is synchronous. With WeightUpdate::EachMicrobatch: the updates that
/// precede the forward on its device. With WeightUpdate::DoubleBuffered: those before the last of the steps before.
[[nodiscard]] std::vector<std::vector<std::int32_t>> weightVersionsUsed(const Schedule &schedule);

} // namespace stagelens::schedule
