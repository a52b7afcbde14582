// The cpu-local preset: a few real passes are trained alone, and the hardware figures are chosen whose analytic costs explain
// their times best.
#pragma once

#include "engine/base/result.h"
#include "engine/model/presets.h"

#include <stop_token>

namespace stagelens::service {

/// Measures this machine for the cpu-local preset (about a second) and stores it in the data folder.
[[nodiscard]] base::Result<model::Hardware> calibrate(std::stop_token stop);
[[nodiscard]] bool isCalibrated();

} // namespace stagelens::service
