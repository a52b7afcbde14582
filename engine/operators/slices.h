// Where a sequence is cut into slices, and how much of its work each slice has.
#pragma once

#include "engine/model/experiment.h"

#include <vector>

namespace stagelens::operators {

/// Returns the number of tokens of each slice of a sequence. Slices of equal work end where the forward FLOPs of a layer with a
/// causal mask, a x + c x^2 up to token x, reach j / n of the total, rounded to a token; each slice has at least one token.
/// Needs a model and at most as many slices as tokens.
[[nodiscard]] std::vector<int> sliceLengths(const model::Experiment &experiment);

/// A slice's share of a whole sequence; the shares of all slices add up to 1.
struct SliceShare {
    double tokens = 0;
    double pairs = 0; ///< of positions, which attention's work counts
    double work = 0;  ///< forward FLOPs of a layer with a causal mask
};
/// Returns the share of each slice. Without a model all slices are equal.
[[nodiscard]] std::vector<SliceShare> sliceShares(const model::Experiment &experiment);

} // namespace stagelens::operators
