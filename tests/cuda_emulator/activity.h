// What the fibres' launches tell the recorder.
#pragma once

#include <cstdint>
#include <string>

namespace stagelens::kernels::gpu::host {

/// The steady clock.
[[nodiscard]] std::int64_t now();
/// Whom the calling thread works for (beginOwner()); 0 is nobody.
[[nodiscard]] std::uint64_t ownerOfThread();
/// A launch of that kernel, or product, has begun then and ends now.
void note(const std::string &kernel, std::int64_t begin);

} // namespace stagelens::kernels::gpu::host
