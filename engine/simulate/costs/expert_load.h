// How unevenly tokens choose experts, and the resulting load of ranks.
#pragma once

#include "engine/model/experiment.h"

#include <cstdint>
#include <vector>

namespace stagelens::simulate {

/// A layer whose experts are divided over ranks, with the tokens of all of them.
struct ExpertGroup {
    int ranks = 1;
    int experts = 1; ///< of all ranks together
    int topK = 1;
    std::int64_t tokens = 0; ///< of a rank
    double skew = 0;         ///< z: the i-th most popular expert gets a share of i^-z
};

/// Means over draws of such a layer, with independent choices and popular experts on random ranks.
struct ExpertLoad {
    double busiestRank = 1;      ///< rows, relative to the mean of all ranks
    double busiestExpert = 1;    ///< relative to the mean of all experts
    std::vector<double> dropped; ///< share of the rows beyond each capacity
};
/// `capacities` are rows of an expert, relative to the mean. Equal arguments give equal results. O(draws experts).
[[nodiscard]] ExpertLoad expertLoad(const ExpertGroup &group, const std::vector<double> &capacities = {}, int draws = 300);

/// Returns the rows of the busiest expert rank of a plan relative to the mean: 1, as published results assume, unless the plan
/// has an expert skew. Of a slice of sequences, if they are cut: slices count as equally long.
[[nodiscard]] double busiestRank(const model::Experiment &experiment);

} // namespace stagelens::simulate
