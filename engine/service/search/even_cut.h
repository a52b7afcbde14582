// A cut of the layers into stages that evens out the work of the devices of a plan.
#pragma once

#include "engine/service/predictions/prediction.h"

#include <vector>

namespace stagelens::service {

/// Returns the layers of each stage for which the busiest device has the least work. A layer takes what it takes in the
/// prediction on the devices of its stage, so that a slow device receives fewer; other work, such as vocabulary layers, stays
/// where it is. Every stage has at least one layer. Exact where each stage is on one device, up to exchanges that passes wait
/// for. Empty if the plan has no model, layers of several kinds, fewer layers than stages, or this cut already. O(layers
/// stages).
[[nodiscard]] std::vector<int> evenCut(const Prediction &prediction);

} // namespace stagelens::service
