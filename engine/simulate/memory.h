// Live bytes of every device over time, by category, from the passes' times.
#pragma once

#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

#include <array>
#include <string_view>
#include <vector>

namespace stagelens::simulate {

enum class MemoryCategory : unsigned char {
    Parameters,
    Gradients,
    Optimizer,
    Activations,
    Vocabulary,
    Communication,
    Workspace
};
inline constexpr int kMemoryCategoryCount = 7;
[[nodiscard]] std::string_view name(MemoryCategory category); ///< "parameters", ...
using MemoryByCategory = std::array<base::Bytes, kMemoryCategoryCount>;
/// Index into MemoryByCategory.
[[nodiscard]] constexpr std::size_t at(MemoryCategory category)
{
    return static_cast<std::size_t>(category);
}
inline constexpr base::Bytes kFloatBytes = 4;

/// A time at which a device's memory changes, and the memory from then on.
struct MemoryStep {
    base::Nanos time = 0;
    MemoryByCategory bytes{};
    [[nodiscard]] base::Bytes total() const;
};

/// The memory of a device over time: constant bytes, including space for its messages, and changes at passes.
struct MemoryProfile {
    std::vector<MemoryStep> steps; ///< sorted by time; the first at 0
    [[nodiscard]] base::Bytes peak() const;
    /// Bytes of each category at the moment of the peak.
    [[nodiscard]] MemoryByCategory atPeak() const;
};

/// The peak memory of a device.
struct MemoryPeak {
    base::Bytes total = 0;
    MemoryByCategory byCategory{}; ///< at the moment of the peak
};
/// Returns the peak of memoryProfile() without storing its steps.
[[nodiscard]] MemoryPeak memoryPeak(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                    const timeline::Timeline &timeline, int device);

/// Returns the profile of one device. O(passes of the device).
[[nodiscard]] MemoryProfile memoryProfile(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                          const timeline::Timeline &timeline, int device);

/// Returns the bytes that the layers of each stage keep of one microbatch from F to B, which offload copies to the host.
[[nodiscard]] std::vector<base::Bytes> copiedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule);

/// Returns whether a plan keeps anything in the memory of hosts.
[[nodiscard]] bool usesHost(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// Returns the maximum bytes that a device occupies on its host; 0 without offload. The memory of a copy of activations is held
/// from the launch of the offload to the end of the unit that the reload precedes; hostState() is held all the time.
[[nodiscard]] base::Bytes peakHostBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);

/// Memory of a device in bytes, independent of the order of its passes.
struct MemoryNeeds {
    base::Bytes parameters = 0; ///< with gradients and optimizer state
    base::Bytes fixed = 0;      ///< `parameters`, plus the other needs of one pass of each kind
    base::Bytes activation = 0; ///< of its largest stage, for one microbatch, from F to B (or W)
};
[[nodiscard]] MemoryNeeds memoryNeeds(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);

/// Returns the maximum number of microbatches whose activations a device holds, in units of the device's whole share of layers
/// (a chunk of a V-schedule counts 1/2), from the begin of F to the end of B, or of W if split.
[[nodiscard]] double peakActivationMicrobatches(const timeline::Timeline &timeline, const schedule::Placement &placement,
                                                int device);

} // namespace stagelens::simulate
