// The durations for which an order is built. They are independent of the simulator's costs: an order built for one ratio of
// forward to backward can be simulated under another.
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
    ByKind common{};             ///< of every stage, if `ofStage` is empty
    std::vector<ByKind> ofStage; ///< of each stage; vocabulary kinds are stored with the first stage of their device
    std::array<base::Nanos, kTransferCount> transfers{};
    double pairScale = 1; ///< time of an overlapped pair divided by the sum of the times of its passes
    /// Number of activations (of one stage and microbatch) that fit on each device under schedule.memory_limit; empty: no
    /// limit.
    std::vector<std::int64_t> activationLimit = {};

    [[nodiscard]] base::Nanos pass(PassKind kind, int stage) const
    {
        return (ofStage.empty() ? common : ofStage[static_cast<std::size_t>(stage)])[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] base::Nanos transfer(Transfer transfer) const { return transfers[static_cast<std::size_t>(transfer)]; }
};

/// Returns the experiment's uniform durations if they include F and a backward. Otherwise F = I = W = 1 and B = 2 in an
/// arbitrary unit, vocabulary passes take a quarter of a forward, and transfers are free.
[[nodiscard]] Durations nominalDurations(const model::Experiment &experiment);

} // namespace stagelens::schedule
