// How much of a GPU is free, for who does not use it.
#pragma once

#include <cstddef>
#include <optional>

namespace stagelens::kernels::gpu {

/// Whether this process has the GPU's primary context.
[[nodiscard]] bool hasContext(int device);
/// Asked of the driver's NVML. CUDA answers only who has a context there, which takes some hundred MB of the GPU, or the whole
/// GPU where one process alone may use it. Nothing where NVML is missing, or tells of another size: of a GPU of which this is a
/// part.
[[nodiscard]] std::optional<std::size_t> freeBytesByNvml(int device, std::size_t totalBytes);

} // namespace stagelens::kernels::gpu
