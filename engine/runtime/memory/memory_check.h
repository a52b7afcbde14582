// Checks whether a run fits the memory of the machine, and finds settings that do.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <vector>

namespace stagelens::runtime {

struct Shape;

/// The planned memory of a run.
struct MemoryNeed {
    std::vector<base::Bytes> slabs;     ///< by device, replica after replica
    std::vector<base::Bytes> peaks;     ///< likewise: peak bytes of its tensors without messages
    std::vector<base::Bytes> hosts;     ///< likewise: memory of what is offloaded
    std::vector<base::Bytes> hostPeaks; ///< likewise: peak bytes of their tensors
    base::Bytes tokens = 0;             ///< of a step's batch
    base::Bytes workspaces = 0;         ///< gpuWorkspaces() of each device, on GPUs; checkRun() sets it
    base::Bytes libraries = 0;          ///< of each GPU: gpuLibraryBytes(); checkRun() sets it

    [[nodiscard]] base::Bytes total() const;
};
/// Returns the bytes of a step's batch, inputs and labels.
[[nodiscard]] base::Bytes tokenBytes(const Shape &shape);
/// The most ranks of a run: each has threads, buffers and a seat in every group, and a mistyped degree asks for millions.
inline constexpr std::int64_t kMostRunRanks = 1024;
/// Fails with more.
[[nodiscard]] base::Result<> checkRanks(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// Returns the passes of a step on all ranks: what memoryNeed() goes through.
[[nodiscard]] std::size_t passesOfRails(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// Fails with more than kMostRunRanks, or if memoryPlan() does.
[[nodiscard]] base::Result<MemoryNeed> memoryNeed(const model::Experiment &experiment, const schedule::Schedule &schedule);

/// Fails if the offloaded activations exceed the memory of the host that the plan gives them.
[[nodiscard]] base::Result<> checkHosts(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                        const MemoryNeed &need);
/// Returns the bytes of all devices together; 0 if the plan has no schedule or memoryPlan() fails.
[[nodiscard]] base::Bytes requiredBytes(const model::Experiment &experiment);
[[nodiscard]] base::Bytes requiredBytes(const model::Experiment &experiment, const schedule::Schedule &schedule);

/// Fails if the run and `beside` more bytes exceed `available` (0: unknown), or if a device exceeds schedule.memory_limit. The
/// message names the missing bytes, the device with the greatest need, and a setting that fits.
[[nodiscard]] base::Result<> checkMemory(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                         base::Bytes available, base::Bytes beside = 0);

} // namespace stagelens::runtime
