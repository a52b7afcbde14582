// A sweep's results as rows, for programs that read tables.
#pragma once

#include "ui/sweep/sweep_plan.h"

#include <span>
#include <string>

namespace stagelens::ui {

/// A point that is done.
struct SweepResult {
    int id = 0;
    const SweepEntry *entry = nullptr;
    const service::SweepPoint *point = nullptr;
};

/// One line a point under a head: what a sweep can vary (`vocabulary_size`, `devices`, ...), `schedule` and `vocabulary` in the
/// command line's words, `kind` (predicted, measured-live, ...), `iteration_ns`, `bubble_ratio`, `peak_memory_bytes` of the
/// fullest device, `tokens_per_second`, `mfu`, `run`, and `impossible`, the reason. A figure that is not known is empty.
[[nodiscard]] std::string sweepCsv(std::span<const SweepResult> results);
/// The same as an array of objects; what is not known is null.
[[nodiscard]] std::string sweepJson(std::span<const SweepResult> results);

} // namespace stagelens::ui
