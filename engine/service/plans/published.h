// Published measurements of plans.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/experiment.h"

#include <string>
#include <vector>

namespace stagelens::service {

/// A training run of a paper. `peakMemory` is the maximum over all devices, as counted by their allocators.
struct PublishedResult {
    model::Experiment experiment; ///< resolved
    base::Nanos iteration = 0;
    base::Bytes peakMemory = 0;
    std::string source;
};

/// Returns all results of resources/published, read once; a file that cannot be read is an error.
[[nodiscard]] const base::Result<std::vector<PublishedResult>> &publishedResults();
/// Returns the published result of a resolved plan, independent of its training settings; null if there is none.
[[nodiscard]] const PublishedResult *publishedFor(const model::Experiment &experiment);

} // namespace stagelens::service
