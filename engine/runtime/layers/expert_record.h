// What the routers of a device choose in a step.
#pragma once

#include "engine/backend/compute.h"
#include "engine/timeline/router_counts.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stagelens::runtime {

using timeline::RouterCounts;

/// Counts of a step by stage and layer of the stage, on the device until they are asked for. Forward passes add to it,
/// recomputation does not. Used by the thread of its device.
class ExpertRecord {
public:
    using Layers = std::map<std::pair<int, int>, RouterCounts>;
    explicit ExpertRecord(backend::Compute &compute) : m_compute(compute) {}
    void clear();
    /// `routes` and `logits` as in kernels/include/experts.h. Probabilities are the softmax of the logits, or sigmoids divided
    /// by their sum.
    void add(int stage, int layer, const std::int32_t *routes, backend::ConstValues logits, const kernels::RoutingShape &shape,
             bool isSigmoid);
    /// Waits for the device.
    [[nodiscard]] Layers layers() const;

private:
    /// kernels::addRouterTotals() of a layer.
    struct Totals {
        backend::Slab numbers;
        std::int64_t tokens = 0;
    };
    backend::Compute &m_compute;
    mutable std::map<std::pair<int, int>, Totals> m_layers; ///< reading takes a view that may be written
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

} // namespace stagelens::runtime
