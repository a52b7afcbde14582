// What the stragglers of a measured job cost: the step with a part of its operations evened, by replay. The definitions are
// those of arXiv 2505.05713 (OSDI 2025), sections 3 and 5; resources/docs/stragglers.md describes them.
#pragma once

#include "engine/base/result.h"
#include "engine/simulate/stragglers/measured_job.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace stagelens::simulate {

/// A part of the job: a device, a replica, a worker, or the operations of one kind. Times in nanoseconds, means over the steps.
struct StragglerPart {
    double fixed = 0; ///< the step if only this part took evened durations
    /// The share of the lost time that this recovers; more than 1 if the part then takes less than its share of the ideal step.
    /// Nothing if no time is lost.
    std::optional<double> recovered;
    /// The step if all others took evened durations, divided by the ideal step: the slow-down that the part causes alone.
    double slowdown = 1;
};

/// A worker and its part.
struct StragglerWorker {
    int replica = 0;
    int device = 0;
    /// Its slow-down is estimated by the smaller of those of its replica and its device (equation 4 of the paper).
    StragglerPart part;
};

struct StragglerStep {
    std::int64_t number = 0; ///< in the trace
    double measured = 0;     ///< nanoseconds
    double actual = 0;       ///< replayed with its own durations
    double ideal = 0;        ///< replayed with evened durations
};

/// Times in nanoseconds, means over the steps.
struct StragglerReport {
    double measured = 0; ///< with the time in which nothing recorded ran
    double actual = 0;   ///< replayed with the measured durations
    double ideal = 0;    ///< replayed with evened durations
    double slowdown = 1; ///< actual / ideal; S of the paper
    std::vector<StragglerPart> devices;
    std::vector<StragglerPart> replicas;
    std::vector<StragglerWorker> workers; ///< the slowest first, at most kReportedWorkers
    std::size_t workerCount = 0;
    std::array<std::optional<StragglerPart>, kJobOperations> operations; ///< of the kinds that the job has
    /// The slowest 3 % of the workers together, at least one; they are the first of `workers`. `recovered` is M_W of the paper.
    std::size_t slowestWorkers = 0;
    double slowestFixed = 0;
    std::optional<double> slowestRecovered;
    /// Share of the lost time that fixing the last device recovers; M_S of the paper.
    [[nodiscard]] std::optional<double> lastDeviceRecovered() const { return devices.back().recovered; }
    std::vector<StragglerStep> steps;
    EvenedDurations evened;
};
inline constexpr std::size_t kReportedWorkers = 64;

/// Replays the job for every part. O((devices + kinds) x operations + replicas x workers x steps). Fails with InvalidInput if
/// the passes wait for each other, and with Cancelled within a replay of one step after `stop` is requested. `progress`
/// receives the share that is done, on the caller's thread.
[[nodiscard]] base::Result<StragglerReport> analyseStragglers(const MeasuredJob &job, const std::stop_token &stop = {},
                                                              const std::function<void(double share)> &progress = {});

} // namespace stagelens::simulate
