// Records the launches of the emulator.
#pragma once

#include <cstdint>
#include <string>

namespace stagelens::kernels::gpu::host {

/// The steady clock.
[[nodiscard]] std::int64_t now();
/// Returns the owner of the work of this thread (beginOwner()); 0 if none.
[[nodiscard]] std::uint64_t ownerOfThread();
/// Records a launch that began at `begin` and ends now.
void note(const std::string &kernel, std::int64_t begin);

} // namespace stagelens::kernels::gpu::host
