// The kernels of a device inside its passes.
#pragma once

#include "engine/base/units.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stagelens::timeline {

/// A kernel or a copy, on the time axis of the timeline that it belongs to.
struct KernelSlice {
    base::Nanos begin = 0;
    base::Nanos end = 0;
    std::int32_t device = 0;
    std::int32_t name = 0; ///< in KernelTrace::names
};

/// Of one step, sorted by device and begin.
struct KernelTrace {
    std::vector<std::string> names;
    std::vector<KernelSlice> slices;
};
using KernelTracePtr = std::shared_ptr<const KernelTrace>;

} // namespace stagelens::timeline
