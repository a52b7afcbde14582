// A device of a run on a GPU.
#pragma once

#include "engine/backend/compute.h"

namespace stagelens::backend {

/// Work on a stream of its own of that GPU. Throws as Compute does.
[[nodiscard]] std::unique_ptr<Compute> makeGpuCompute(int gpu, base::Precision precision, const kernels::Interrupt &interrupt);

} // namespace stagelens::backend
