// The operators inside the passes of a prediction.
#pragma once

#include "engine/service/predictions/prediction.h"
#include "engine/simulate/costs/pass_legs.h"

#include <memory>

namespace stagelens::service {

/// Returns the legs of a prediction. Fails unless its costs come from a hardware preset.
[[nodiscard]] base::Result<std::unique_ptr<simulate::PassLegs>> legsOf(const Prediction &prediction);

} // namespace stagelens::service
