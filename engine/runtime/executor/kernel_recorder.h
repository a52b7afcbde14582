// Records the GPU kernels of a step.
#pragma once

#include "engine/base/units.h"
#include "engine/timeline/kernel_trace.h"
#include "engine/timeline/timeline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// Returns the id of a pass in recordings: its device, and its index among the passes of the device in the step.
[[nodiscard]] constexpr std::uint64_t kernelOwner(int rank, std::size_t place)
{
    return (static_cast<std::uint64_t>(rank) + 1) << 32U | static_cast<std::uint64_t>(place);
}

/// Starts recording. Returns an error message, or an empty string.
[[nodiscard]] std::string startKernelRecording();

/// Stops recording and returns the kernels of the passes in `timeline`. `begins` are the measured begins of each device's
/// passes by the steady clock. A kernel keeps its distance from the begin of its pass, and is clipped to the pass.
[[nodiscard]] timeline::KernelTrace stopKernelRecording(const timeline::Timeline &timeline,
                                                        const std::vector<std::vector<base::Nanos>> &begins);

} // namespace stagelens::runtime
