// What the routers of a mixture of experts chose in a step.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace stagelens::timeline {

/// The choices of a layer's router, of the tokens of all replicas. A layer without experts has no rows.
struct RouterCounts {
    std::vector<std::int64_t> rows; ///< choices of each expert, dropped or not
    std::int64_t dropped = 0;       ///< of all rows
    double entropy = 0;             ///< sum over the tokens of that of the probabilities of all experts, in nats
    std::int64_t tokens = 0;
    void add(const RouterCounts &other);
    friend bool operator==(const RouterCounts &, const RouterCounts &) = default;
};

/// The routers of all layers of a model, from its first one on, in a step.
struct RouterStep {
    int step = 0; ///< from 0
    std::vector<RouterCounts> layers;
};
using RouterStepPtr = std::shared_ptr<const RouterStep>;

/// Returns max n_e / mean n_e - 1 (arXiv 2408.15664, equation 4): by how much the busiest expert exceeds the mean.
[[nodiscard]] double maxViolation(const std::vector<std::int64_t> &rows);
/// Returns the rows of each of `parts` equal parts of adjacent experts, relative to the mean of the parts; 1 is a balanced
/// load. `parts` are the experts, or the ranks that hold them, and divide their number. Empty without rows.
[[nodiscard]] std::vector<double> relativeLoads(const RouterCounts &counts, int parts);
/// Returns the mean entropy of a token relative to that of equal probabilities, 0 to 1; 0 without tokens.
[[nodiscard]] double relativeEntropy(const RouterCounts &counts);

} // namespace stagelens::timeline
