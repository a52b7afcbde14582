// Kernels of a step, where they ran.
#pragma once

#include "engine/base/units.h"
#include "engine/timeline/kernel_trace.h"
#include "engine/timeline/timeline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// What a pass' kernels are known by: its device, and its place among the device's passes of the step.
[[nodiscard]] constexpr std::uint64_t kernelOwner(int rank, std::size_t place)
{
    return (static_cast<std::uint64_t>(rank) + 1) << 32U | static_cast<std::uint64_t>(place);
}

/// Begins to record what the GPUs do; why not, where that cannot be.
[[nodiscard]] std::string startKernelRecording();

/// Ends it. `begins` says of each device (a lane of the timeline) when its passes really began, by the steady clock: a kernel
/// stands as far behind the begin of its pass on the timeline as it really did, and ends with it at the latest.
[[nodiscard]] timeline::KernelTrace stopKernelRecording(const timeline::Timeline &timeline,
                                                        const std::vector<std::vector<base::Nanos>> &begins);

} // namespace stagelens::runtime
