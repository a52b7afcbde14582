// The tensor, context and expert ranks of a device that one thread runs in turn.
#pragma once

#include "engine/runtime/executor/unit_of_work.h"
#include "engine/simulate/offload/copy_lane.h"

#include <optional>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// Computes a pass on every rank of a gang, which must have begun it (Device::beginCompute): each rank in turn up to an
/// exchange, then each round of the exchange. Returns how long that takes if the ranks work at the same time: the sum, over
/// launches and exchanges, of the time of the slowest rank. Ranks in other processes take part in the exchanges.
[[nodiscard]] base::Result<base::Nanos> computeTogether(std::span<Device *const> gang, std::span<PassRun *const> runs);

/// The tensor, context and expert ranks of a device, which run their units together.
class Gang {
public:
    void add(Device &device);
    [[nodiscard]] const std::vector<Device *> &devices() const { return m_devices; }

    /// Begins a unit after the one before it has ended at `free`. Returns when the copies that it joins have ended. A copy
    /// lasts as long as that of the slowest rank. Returns nothing if the run was stopped.
    [[nodiscard]] std::optional<base::Nanos> begin(std::span<const schedule::Pass> passes, base::Nanos free,
                                                   const RunPlan &plan);
    /// Returns how long the slowest rank takes to receive, or nothing if a message was never sent.
    [[nodiscard]] std::optional<base::Nanos> receive();
    /// Computes the i-th pass and returns its duration.
    [[nodiscard]] base::Result<base::Nanos> compute(std::size_t i);
    /// Sends the results of the unit.
    void publish();
    /// Puts the copies into the lanes of its ranks.
    void noteCopies(timeline::Timeline &result) const;

private:
    std::vector<Device *> m_devices;
    std::vector<UnitOfWork> m_units; ///< of each
    std::vector<PassRun *> m_runs;   ///< of the pass at hand
    std::optional<simulate::CopyLane> m_copies;
};

} // namespace stagelens::runtime
