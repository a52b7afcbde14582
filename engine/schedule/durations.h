// How long passes take, as far as an order is made for it. The simulator's costs are another matter: an order made for one
// ratio of forward and backward may well be simulated under another.
#pragma once

#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/passes/pass.h"
#include "engine/passes/requirements.h"

#include <array>
#include <cstdint>
#include <vector>

namespace stagelens::schedule {

/// Nanoseconds by kind of pass and by kind of transfer.
struct Durations {
    using ByKind = std::array<base::Nanos, kPassKindCount>;
    ByKind common{};             ///< of every stage, where `ofStage` is empty
    std::vector<ByKind> ofStage; ///< of each stage; vocabulary kinds stand with their device's first stage
    std::array<base::Nanos, kTransferCount> transfers{};
    double pairScale = 1; ///< time of an overlapped pair over the sum of its passes' own times
    /// Activations (a stage's of one microbatch) that each device has room for under schedule.memory_limit; empty: no limit.
    std::vector<std::int64_t> activationLimit = {};

    [[nodiscard]] base::Nanos pass(PassKind kind, int stage) const
    {
        return (ofStage.empty() ? common : ofStage[static_cast<std::size_t>(stage)])[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] base::Nanos transfer(Transfer transfer) const { return transfers[static_cast<std::size_t>(transfer)]; }
};

/// The experiment's uniform durations where F and a backward are among them, else F = I = W = 1 and B = 2 of an arbitrary unit;
/// vocabulary passes are then a quarter of a forward, transfers free.
[[nodiscard]] Durations nominalDurations(const model::Experiment &experiment);

} // namespace stagelens::schedule
