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

/// A moment at which a device's memory changed, and what it holds from then on.
struct MemoryStep {
    base::Nanos time = 0;
    MemoryByCategory bytes{};
    [[nodiscard]] base::Bytes total() const;
};

/// What a device holds: constant bytes, among them room for its messages, and changes at passes.
struct MemoryProfile {
    std::vector<MemoryStep> steps; ///< sorted by time; the first at 0
    [[nodiscard]] base::Bytes peak() const;
    /// Bytes of each category at the moment of the peak.
    [[nodiscard]] MemoryByCategory atPeak() const;
};

/// The most that a device holds.
struct MemoryPeak {
    base::Bytes total = 0;
    MemoryByCategory byCategory{}; ///< at the moment of the peak
};
/// Peak of memoryProfile(), without the memory for its steps.
[[nodiscard]] MemoryPeak memoryPeak(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                    const timeline::Timeline &timeline, int device);

/// Profile of one device. Computed on demand: O(passes of the device).
[[nodiscard]] MemoryProfile memoryProfile(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                          const timeline::Timeline &timeline, int device);

/// What a device needs in bytes, whatever the order of its passes.
struct MemoryNeeds {
    base::Bytes parameters = 0; ///< with all that belongs to them
    base::Bytes fixed = 0;      ///< those, and what one pass of each kind needs beside
    base::Bytes activation = 0; ///< of the greatest of its stages, for one microbatch, from F to B (or W)
};
[[nodiscard]] MemoryNeeds memoryNeeds(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);

/// Most microbatches whose activations a device holds at once, in units of one microbatch of the device's whole share of layers
/// (a chunk of a V-schedule counts 1/2): from F's begin to the end of B, or of W where split.
[[nodiscard]] double peakActivationMicrobatches(const timeline::Timeline &timeline, const schedule::Placement &placement,
                                                int device);

} // namespace stagelens::simulate
