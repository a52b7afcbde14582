// Free memory of a GPU without a CUDA context.
#pragma once

#include <cstddef>
#include <optional>

namespace stagelens::kernels::gpu {

/// Returns whether this process has the primary context of the GPU.
[[nodiscard]] bool hasContext(int device);
/// Queries the free memory through NVML. CUDA would create a context, which takes some hundred MB, or the whole GPU in
/// exclusive mode. Returns nothing if NVML is missing or reports another total, as for a partition of a GPU.
[[nodiscard]] std::optional<std::size_t> freeBytesByNvml(int device, std::size_t totalBytes);

} // namespace stagelens::kernels::gpu
