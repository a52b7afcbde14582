// The Compute of a device on a GPU.
#pragma once

#include "engine/backend/compute.h"

namespace stagelens::backend {

/// Creates a Compute with a stream of its own on that GPU. Throws like Compute.
[[nodiscard]] std::unique_ptr<Compute> makeGpuCompute(int gpu, base::Precision precision, const kernels::Interrupt &interrupt);

} // namespace stagelens::backend
