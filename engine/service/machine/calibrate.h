// The presets cpu-local and gpu-local: a few real passes are trained alone, and the hardware figures are chosen whose analytic
// costs explain their times best.
#pragma once

#include "engine/base/result.h"
#include "engine/model/presets.h"
#include "engine/runtime/machine/accelerators.h"

#include <stop_token>
#include <string>

namespace stagelens::service {

/// Measures this machine and stores the preset in the data folder: `cpu` for cpu-local (about a second), `cuda` for gpu-local
/// (some ten seconds). With small shapes, for tests of the latter, stores nothing. Fails with `training.backend` without a GPU.
[[nodiscard]] base::Result<model::Hardware> calibrate(std::stop_token stop, const std::string &backend = "cpu",
                                                      backend::BenchShapes shapes = backend::BenchShapes::Real);
/// Returns whether cpu-local is measured.
[[nodiscard]] bool isCalibrated();

} // namespace stagelens::service
