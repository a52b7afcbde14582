// Words and default durations shared by uniform costs and durations files (resources/docs/command-line.md, "What passes cost").
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

/// Durations of one stage by kind; empty if not given.
using GivenPasses = std::array<std::optional<base::Nanos>, schedule::kPassKindCount>;

/// Returns the transfer named "send", "c0", "c1", "c2", "embed-reduce" or "embed-broadcast".
[[nodiscard]] std::optional<schedule::Transfer> parseTransfer(std::string_view word);

/// By device: the stages of its chunks, in order.
using StagesOfDevices = std::vector<std::vector<int>>;
[[nodiscard]] StagesOfDevices stagesOfDevices(const schedule::Schedule &schedule);

/// Sets the durations of a stage. An absent B becomes I + W, absent I and W follow from B. Vocabulary passes stay at 0 unless
/// the schedule shards the vocabulary; S of `interlaced` is S and T together.
void setGivenPasses(CostModel &costs, const schedule::Schedule &schedule, int device, int stage, const GivenPasses &given);

/// The word for an overlapped forward and backward.
inline constexpr std::string_view kPairWord = "FB";
/// The words for the copies of the activations of a stage to the host and back.
inline constexpr std::string_view kOffloadWord = "OFF";
inline constexpr std::string_view kReloadWord = "ON";
/// Scales overlapped pairs so that F and B of the last stage take `pair` together. Does nothing if their durations are 0.
void setPair(CostModel &costs, const schedule::Schedule &schedule, base::Nanos pair);

/// Adds both barriers after an S that does the work of T (interlaced).
void joinCollectives(CostModel &costs, const schedule::Schedule &schedule);

} // namespace stagelens::simulate
