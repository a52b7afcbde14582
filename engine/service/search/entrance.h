// The bounds and the validity of a plan, which a search computes before it orders the passes.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace stagelens::service {

/// A plan with the bounds that do not depend on the order of its passes.
struct Entry {
    model::Experiment plan;
    base::Nanos leastTime = 0;
    double leastMemory = 0;
    double work = 0;       ///< about how many passes must be placed
    std::size_t place = 0; ///< in the order of the registry
    std::size_t given = 0; ///< index of the given plan
};

/// A cut of a plan whose parameters and one microbatch exceed the limit.
struct TooLarge {
    std::vector<int> stageLayers;
    base::Bytes memory = 0; ///< that every order needs
};

/// A given plan with each cut of its layers.
struct Entrance {
    std::vector<Entry> entries;
    std::vector<TooLarge> tooLarge;
    std::vector<base::Problems> refusals;
};

/// Takes up a plan; several threads may do so at the same time. Without `limit` no cut is too large.
[[nodiscard]] Entrance entranceOf(model::Experiment plan, const std::optional<base::Bytes> &limit);

} // namespace stagelens::service
