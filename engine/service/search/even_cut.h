// A cut of the layers into stages that evens out the work of the devices of a plan.
#pragma once

#include "engine/service/predictions/prediction.h"

#include <cstddef>
#include <vector>

namespace stagelens::service {

/// A device that computes a stage, and the time that one more layer takes it.
struct StageHolder {
    std::size_t device = 0;
    double layer = 0;
};
/// Cuts the layers so that the greatest load of a device is least: after each stage has `least` layers, every next one goes
/// where the load is least with it; as loads only grow, no other cut is better while each stage is on one device. `holders` of
/// each stage; `load` of each device without any layer. O(layers stages).
[[nodiscard]] std::vector<int> leastLoadCut(int layers, int least, const std::vector<std::vector<StageHolder>> &holders,
                                            std::vector<double> load);

/// Returns the layers of each stage for which the busiest device has the least work. A layer takes what it takes in the
/// prediction on the devices of its stage, so that a slow device receives fewer; other work, such as vocabulary layers, stays
/// where it is. Every stage has at least one layer. Exact where each stage is on one device, up to exchanges that passes wait
/// for. Empty if the plan has no model, layers of several kinds, fewer layers than stages, or this cut already. O(layers
/// stages).
[[nodiscard]] std::vector<int> evenCut(const Prediction &prediction);

} // namespace stagelens::service
