// Looped pipelines: v chunks per device, stage s on device s mod p.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

#include <optional>

namespace stagelens::schedule {

/// Interleaved 1F1B (Narayanan et al., arXiv 2104.04473): groups of microbatches (schedule.group_size, at least p) pass through
/// one chunk after another. A last group smaller than the pipeline would deadlock, so its microbatches are distributed to the
/// others. Peak on device r, if m is a multiple of p: p + (p - 1 - 2 r) / v + k microbatches; with schedule.overlapped_pairs
/// one activation more.
[[nodiscard]] base::Result<Schedule> interleaved(const model::Experiment &experiment, const Durations &durations);

/// Returns the size of the largest group if it exceeds schedule.group_size (or p) because the last microbatches were
/// distributed; nothing for other families and numbers.
[[nodiscard]] std::optional<int> grownGroup(const model::Experiment &experiment);

/// Breadth-first (Lamy-Poirier, arXiv 2211.05953): all microbatches pass through a chunk before the next, and all forwards
/// precede all backwards. Peak: m microbatches.
[[nodiscard]] base::Result<Schedule> breadthFirst(const model::Experiment &experiment, const Durations &durations);

/// Interleaved with split backwards (PyTorch's ScheduleInterleavedZeroBubble): half the warm-up, and W follows I by r chunks on
/// device r. Peak: p + k microbatches.
[[nodiscard]] base::Result<Schedule> interleavedZb(const model::Experiment &experiment, const Durations &durations);

/// Generalized interleaved schedule, GIS (PipeOffload, arXiv 2503.01328): interleaved-zb with W right after its I, and groups
/// of at least p / 2. If groups are smaller than the pipeline, the last group may be as small as that; otherwise the rule above
/// applies. Peak on device r, with groups of g: ((v - 1) g + p - r) / v + k microbatches.
[[nodiscard]] base::Result<Schedule> generalizedInterleaved(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
