// The variation of a step if every pass varies, from many draws of random durations (resources/docs/sensitivity.md).
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

namespace stagelens::simulate {

struct JitterOptions {
    double variation = 0.05; ///< standard deviation / mean of every pass; 0: none
    int draws = 200;
    std::uint64_t seed = 1;
    int threads = 1;
    std::stop_token stop = {};
    std::function<void(int done, int total)> progress = {}; ///< called on the caller's thread
};

struct Quantiles {
    base::Nanos p05 = 0;
    base::Nanos p50 = 0;
    base::Nanos p95 = 0;
    base::Nanos mean = 0;
};

/// The distribution of a step. Vectors are by device.
struct JitterResult {
    double variation = 0;
    int draws = 0;
    std::uint64_t seed = 0;
    Quantiles makespan;  ///< of the passes, of the slowest replica of each draw
    Quantiles iteration; ///< including the work after the passes
    /// Share of the draws in which the critical path passes through this device for longer than through any other.
    std::vector<double> criticalShare;
    /// Mean share of the makespan that the critical path spends in this device's passes: a device that is 1 % slower lengthens
    /// the passes of a step by this many percent.
    std::vector<double> sensitivity;
};

/// Draws steps: each pass of each replica takes its duration times a log-normal factor of mean 1 and the given variation,
/// independent of the others. Messages and collectives keep their times. The order of the passes is the schedule's. The same
/// seed gives the same result with any number of threads. O(draws x passes of all replicas); stops within one draw.
[[nodiscard]] base::Result<JitterResult> simulateJitter(const schedule::Schedule &schedule, const CostModel &costs,
                                                        const JitterOptions &options);

} // namespace stagelens::simulate
