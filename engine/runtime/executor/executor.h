// Executes the passes of one step in the order of the schedule.
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/executor/device.h"
#include "engine/timeline/timeline.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace stagelens::runtime {

/// The devices of this process in rank order.
using Devices = std::vector<std::unique_ptr<Device>>;

/// A piece of work before or after the passes of a step: either of all devices of this process together, or of each device.
struct TailWork {
    std::function<base::Result<>()> together;
    /// Runs a round of a device's work. A round receives only what was sent in earlier rounds.
    std::function<base::Result<>(Device &, int round)> onDevice;
    /// What the timeline shows the work of a device as; nothing: the optimizer.
    std::optional<timeline::AnchoredKind> anchored = {};
    int rounds = 1; ///< of the optimizer
    /// Returns the rounds of a device.
    [[nodiscard]] int roundsOf(Device &device) const { return anchored ? device.rounds(*anchored) : rounds; }
};

/// Callbacks of a step.
struct StepHooks {
    /// Called after every pass, on the thread that ran it.
    std::function<void()> afterPass;
    /// What precedes the passes of every device: exchanges between replicas.
    std::vector<TailWork> head = {};
    /// What follows the passes, in this order on every device.
    std::vector<TailWork> tail = {};
};

/// Puts the time of a device's tail work into its lane.
void noteTail(timeline::Lane &lane, const TailWork &work, const Device &device, base::Nanos begin, base::Nanos end);

/// Runs each device on a thread of its own and measures wall time. A device that fails requests the stop of `halt`, which ends
/// the waits of the transport and the kernels. The lanes are those of `devices`, with times since `begin`.
[[nodiscard]] base::Result<timeline::Timeline> runLive(const RunPlan &plan, const Devices &devices, const StepHooks &hooks,
                                                       std::stop_source halt, std::chrono::steady_clock::time_point begin);

/// Runs one pass at a time, alone on the machine, and measures it on the virtual clock of its device. Messages take as long as
/// receiving them took.
[[nodiscard]] base::Result<timeline::Timeline> runVirtualClock(const RunPlan &plan, const Devices &devices,
                                                               const StepHooks &hooks, const std::stop_token &halt);

/// Calls `work(i)` for the i-th rank, each on a thread of its own, and joins the threads. Returns the first failure that is not
/// Cancelled, if any. A failure requests the stop of `halt`. Exceptions are returned as failures.
[[nodiscard]] base::Result<> onAllRanks(const std::vector<int> &ranks, const std::function<base::Result<>(std::size_t)> &work,
                                        std::stop_source halt);

} // namespace stagelens::runtime
