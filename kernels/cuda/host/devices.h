// What a test says of the GPUs that kernels/cuda/host makes of this machine.
#pragma once

#include <cstddef>

namespace stagelens::kernels::gpu::host {

/// From now on the machine has so many GPUs, with so much memory each.
void setDevices(int count, std::size_t bytesOfEach);
/// Bytes that are taken of one's memory.
[[nodiscard]] std::size_t takenBytes(int device);

} // namespace stagelens::kernels::gpu::host
