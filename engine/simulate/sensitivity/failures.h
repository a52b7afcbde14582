// Failures and checkpoints of a job: the best checkpoint interval, and the resulting share of time that makes progress.
#pragma once

#include "engine/model/experiment.h"

#include <cstdint>
#include <optional>

namespace stagelens::simulate {

struct FailureForecast {
    double optimum = 0;        ///< seconds between checkpoints: Young's optimum sqrt(2 C M)
    std::int64_t steps = 1;    ///< the same in whole steps, at least 1
    double period = 0;         ///< seconds of these steps
    double lostPerFailure = 0; ///< mean seconds of steps that are repeated, and the restart
    /// Share of the time that makes progress with a checkpoint after every `steps` steps.
    double goodput = 1;
};

/// Assumes that a checkpoint takes `checkpoint` seconds, that failures occur every `interval` seconds on average, exponentially
/// distributed, and that a restart takes `restart` seconds. Period: Young 1974 (CACM 17, 9). Goodput: the expected time of a
/// period with its checkpoint under failures, Daly 2006 (Future Generation Computer Systems 22, 3, equation 13). `step`:
/// seconds of a step.
[[nodiscard]] FailureForecast failureForecast(double interval, double checkpoint, double restart, double step);

/// Returns the same for an experiment's what-ifs; nothing without an interval.
[[nodiscard]] std::optional<FailureForecast> failureForecast(const model::WhatIf &whatIf, double step);

} // namespace stagelens::simulate
