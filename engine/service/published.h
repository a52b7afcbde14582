// What others have measured and published, for the plans they measured.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/experiment.h"

#include <optional>
#include <string>
#include <vector>

namespace stagelens::service {

/// A training run of a paper. `peakMemory` is the greatest of all devices, as their allocator counted it.
struct PublishedResult {
    model::Experiment experiment; ///< resolved
    base::Nanos iteration = 0;
    base::Bytes peakMemory = 0;
    std::string source;
};

/// All results of resources/published, read once; a file that cannot be read is an error.
[[nodiscard]] const base::Result<std::vector<PublishedResult>> &publishedResults();
/// The result that was published for a resolved plan; how long and how it would be trained here does not matter. Null where
/// there is none.
[[nodiscard]] const PublishedResult *publishedFor(const model::Experiment &experiment);

} // namespace stagelens::service
