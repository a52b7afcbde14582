// Exact cuts of a list into consecutive parts: layers into stages, stages with replicas, a sequence into slices.
#pragma once

#include <functional>
#include <vector>

namespace stagelens::operators {

/// A cut and its cost.
struct PartCut {
    std::vector<int> sizes; ///< of each part
    double cost = 0;
};

/// Returns the cut of a list of times into that many consecutive parts of at least one item that minimises the greatest part;
/// among several, the one with the least sum of squares of its parts. O(parts n^2). Needs at least as many items as parts.
[[nodiscard]] PartCut leastGreatestPart(const std::vector<double> &times, int parts);
/// Returns the same for parts that are on devices of unequal speed: part i takes `factors[i]` times as long.
[[nodiscard]] PartCut leastGreatestPart(const std::vector<double> &times, const std::vector<double> &factors);

/// A layer of PipeDream's planner.
struct PlannedLayer {
    double time = 0;       ///< forward and backward of a microbatch
    double activation = 0; ///< sent to the next layer
    double weights = 0;    ///< exchanged among replicas of the layer
};
/// Consecutive layers, replicated on a number of machines.
struct ReplicatedStage {
    int layers = 0;
    int machines = 1;
    friend bool operator==(const ReplicatedStage &, const ReplicatedStage &) = default;
};
struct ReplicatedPlan {
    std::vector<ReplicatedStage> stages;
    double time = 0; ///< of the slowest stage or message, for each microbatch
};
/// Returns PipeDream's plan (arXiv 1806.03377, section 3.1; one level of machines): A(j, M) is the least time of the slowest
/// stage of the first j layers on M machines. Its last stage has the layers after i on M' machines, and
/// A(j, M) = min over i and M' of max(A(i, M - M'), 2 a_i / bandwidth, T(i + 1 .. j, M')), where a stage on M' machines takes
/// max(its time / M', 2 (M' - 1) / M' its weights / bandwidth) for each microbatch. All machines are used. O(n^2 M^2).
[[nodiscard]] ReplicatedPlan pipeDreamPlan(const std::vector<PlannedLayer> &layers, int machines, double bandwidth);

/// Returns TeraPipe's cut of a sequence (arXiv 2102.07988, section 3.3) of `units` into any number of slices, or into at most
/// `most` if that is above 0: minimises sum t_i + (stages - 1) max t_i, where `time(length, before)` is the time of a slice
/// with that many units before it. For each bound of the longest slice, a dynamic program finds the least sum. O(units^4) for
/// each number of slices.
[[nodiscard]] PartCut teraPipeCut(int units, int stages, const std::function<double(int length, int before)> &time,
                                  int most = 0);

} // namespace stagelens::operators
