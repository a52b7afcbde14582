// `simulate --explain`: why a plan takes as long as it does.
#pragma once

#include "engine/service/engine_service.h"

#include <ostream>

namespace stagelens::cli {

/// The bubble by cause for each device, its counterfactual split, the critical path by kind and device, and how far the plan is
/// from its lower bound.
void printExplanation(std::ostream &out, const service::Prediction &prediction, const simulate::Explanation &explanation,
                      const simulate::BubbleCauses &split);

} // namespace stagelens::cli
