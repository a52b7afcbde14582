// What the routers of a device choose in a step.
#pragma once

#include "kernels/include/experts.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stagelens::runtime {

/// The choices of a layer's router, of the tokens of a rank.
struct RouterCounts {
    std::vector<std::int64_t> rows; ///< choices of each expert, dropped or not
    std::int64_t dropped = 0;       ///< of all rows
    double entropy = 0;             ///< sum over the tokens of that of the probabilities of all experts, in nats
    std::int64_t tokens = 0;
    void add(const RouterCounts &other);
};

/// Counts of a step by stage and layer of the stage. Forward passes add to it, recomputation does not. Used by the thread of
/// its device.
class ExpertRecord {
public:
    using Layers = std::map<std::pair<int, int>, RouterCounts>;
    void clear() { m_layers.clear(); }
    /// `routes` and `logits` as in kernels/include/experts.h. Probabilities are the softmax of the logits, or sigmoids divided
    /// by their sum.
    void add(int stage, int layer, const std::int32_t *routes, const float *logits, const kernels::RoutingShape &shape,
             bool isSigmoid);
    [[nodiscard]] const Layers &layers() const { return m_layers; }

private:
    Layers m_layers;
};

/// What the routers of a run have chosen so far, as texts for its record.
class ExpertLog {
public:
    /// Adds a step. `layers` are those of the whole model, from its first layer on.
    void add(const std::vector<RouterCounts> &layers);
    /// Returns a text for each layer, such as "MaxVio 0.250 (first step 0.500), router entropy 2.013 of 2.079, rows 40 31";
    /// with a capacity also how many rows were dropped. That of a layer without experts is empty.
    [[nodiscard]] std::vector<std::string> texts(bool hasCapacity) const;

private:
    struct Layer {
        RouterCounts all;
        RouterCounts last;
        double first = 0; ///< MaxVio of the first step
    };
    std::vector<Layer> m_layers;
};

/// Returns max n_e / mean n_e - 1 (arXiv 2408.15664, equation 4): by how much the busiest expert exceeds the mean.
[[nodiscard]] double maxViolation(const std::vector<std::int64_t> &rows);

} // namespace stagelens::runtime
