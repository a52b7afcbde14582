// The measured jobs of ByteDance's straggler study (arXiv 2505.05713, ByteDance-Seed/StragglerAnalysis), from the CSV form of
// its traces. resources/docs/stragglers.md describes the columns.
#pragma once

#include "engine/base/result.h"
#include "engine/exchange/trace_import.h"
#include "engine/simulate/stragglers/measured_job.h"
#include "engine/timeline/timeline.h"

#include <cstddef>
#include <vector>

namespace stagelens::exchange {

struct StragglerTrace {
    simulate::MeasuredJob job;
    /// Of each step, the replica whose last operation ends latest; begins at 0; provenance Imported.
    std::vector<timeline::Timeline> steps;
    /// Messages that ended before they could begin, by the clocks of their workers; they count as 0.
    std::size_t skewedMessages = 0;
};

/// Reads the rows of all workers of whole steps. The order of the passes is that of the first step and replica; the others must
/// have the same. A message's duration is the time after both ends are ready, that of a collective the time after all its
/// workers are. Fails with InvalidInput, with line, column, cause and remedy. All sizes and numbers are untrusted: at most 16
/// million rows, 1000 steps, 1024 replicas and 1024 devices.
[[nodiscard]] base::Result<StragglerTrace> importStragglers(const TraceInput &file);
[[nodiscard]] base::Result<StragglerTrace> importStragglers(const TraceText &file);

} // namespace stagelens::exchange
