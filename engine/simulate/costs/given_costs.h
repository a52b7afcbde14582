// What uniform costs and durations files share: their words, and the defaults of durations that are absent
// (resources/docs/command-line.md, "What passes cost").
#pragma once

#include "engine/base/units.h"
#include "engine/passes/pass.h"
#include "engine/passes/requirements.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace stagelens::simulate {

/// Durations of one stage by kind; absent where nothing was given.
using GivenPasses = std::array<std::optional<base::Nanos>, schedule::kPassKindCount>;

/// The transfer of "send", "c0", "c1", "c2", "embed-reduce" or "embed-broadcast".
[[nodiscard]] std::optional<schedule::Transfer> parseTransfer(std::string_view word);

/// Stages whose passes device `device` may run: its chunks, in order.
using StagesOfDevices = std::vector<std::vector<int>>;
[[nodiscard]] StagesOfDevices stagesOfDevices(const schedule::Schedule &schedule);

/// Puts the durations of a stage into the model, with B from I + W, or I and W from B, where they are absent. Vocabulary passes
/// are left at 0 unless the schedule shards the vocabulary; the S of `interlaced` is S and T together.
void setGivenPasses(CostModel &costs, const schedule::Schedule &schedule, int device, int stage, const GivenPasses &given);

/// The word for an overlapped forward and backward.
inline constexpr std::string_view kPairWord = "FB";
/// Scales overlapped pairs so that F and B of the last stage take `pair` together. Does nothing where these take no time.
void setPair(CostModel &costs, const schedule::Schedule &schedule, base::Nanos pair);

/// After the S of `interlaced` both of its barriers follow at once.
void joinCollectives(CostModel &costs, const schedule::Schedule &schedule);

} // namespace stagelens::simulate
