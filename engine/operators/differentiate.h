// The backward of a block as steps.
#pragma once

#include "engine/operators/draft.h"

namespace stagelens::operators {

struct Differentiated {
    Draft draft;   ///< the whole backward, or the first half of a split one
    Draft weights; ///< the second half of a split one
};

/// Derives the backward in reverse list order, which fixes the order in which contributions to a gradient are added. The first
/// half of a split backward saves what the second reads. Throws as recipeOf() does.
[[nodiscard]] Differentiated differentiate(const Block &block, const Fusion &fusion, const std::vector<ValueId> &saved,
                                           bool isSplit);

} // namespace stagelens::operators
