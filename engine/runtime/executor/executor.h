// Runs the passes of one step in the order of the schedule.
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/executor/device.h"
#include "engine/timeline/timeline.h"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace stagelens::runtime {

/// Those in this process, in the order of their ranks.
using Devices = std::vector<std::unique_ptr<Device>>;

/// What else happens in a step.
struct StepHooks {
    /// After every pass, on the thread that ran it.
    std::function<void()> afterPass;
    /// After all devices' passes, before the optimizer, where that needs something of all of them. May be empty.
    std::function<base::Result<>()> together;
    /// The optimizer step of a device; may be empty.
    std::function<void(Device &)> optimize;
};

/// One thread a device, wall clock. A device that fails asks `halt`, which the transport's waits and the kernels listen to.
/// The lanes are those of `devices` and count from `begin`.
[[nodiscard]] base::Result<timeline::Timeline> runLive(const RunPlan &plan, const Devices &devices, const StepHooks &hooks,
                                                       std::stop_source halt, std::chrono::steady_clock::time_point begin);

/// One pass at a time, alone on the machine and measured, each on its device's virtual clock; messages take the time that
/// receiving took.
[[nodiscard]] base::Result<timeline::Timeline> runVirtualClock(const RunPlan &plan, const Devices &devices,
                                                               const StepHooks &hooks, const std::stop_token &halt);

/// Calls `work(i)` for the i-th of the ranks, each on a thread of its own, and waits for all. The first failure that is not a
/// mere cancellation is the answer; a failure asks `halt`. Exceptions become failures.
[[nodiscard]] base::Result<> onAllRanks(const std::vector<int> &ranks, const std::function<base::Result<>(std::size_t)> &work,
                                        std::stop_source halt);

} // namespace stagelens::runtime
