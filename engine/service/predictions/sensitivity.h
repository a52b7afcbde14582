// What the what-ifs of a plan cost, by more simulations of the same order.
#pragma once

#include "engine/base/result.h"
#include "engine/service/predictions/prediction.h"
#include "engine/simulate/sensitivity/failures.h"
#include "engine/simulate/sensitivity/jitter.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::service {

/// One slow part or link, or the unequal lengths, and the step without it alone.
struct WhatIfPart {
    std::string name;  ///< "device 3", "rank 7", "node 0", "replica 1", "link 2-3", "lengths"
    int device = -1;   ///< of a slow device, else -1
    double factor = 0; ///< 0 for lengths
    base::Nanos without = 0;
    /// Of a slow device that is not the first: the step if the first device were as slow in its place.
    std::optional<base::Nanos> ifFirst;
};

/// Times are those of a step (an iteration).
struct Sensitivity {
    base::Nanos iteration = 0; ///< with all what-ifs
    base::Nanos planned = 0;   ///< without any
    std::vector<WhatIfPart> parts;
    std::optional<simulate::JitterResult> jitter;
    std::optional<simulate::FailureForecast> failures;
};

struct SensitivityOptions {
    std::stop_token stop = {};
    std::function<void(int done, int total)> progress = {}; ///< draws
};

/// Whether a plan has what-ifs, so that sensitivityOf() has something to say.
[[nodiscard]] bool hasWhatIfs(const model::Experiment &experiment);

/// Simulates the schedule of the prediction once for each part, and draws the jitter on `cores` threads. Fails with Cancelled
/// if stopped.
[[nodiscard]] base::Result<Sensitivity> sensitivityOf(const Prediction &prediction, int cores,
                                                      const SensitivityOptions &options = {});

} // namespace stagelens::service
