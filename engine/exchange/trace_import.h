// Measured timelines of other programs: Chrome and Kineto traces whose complete events have the names of PyTorch's pipeline
// runtime, "PP:<stage><F|B|I|W><microbatch>".
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::exchange {

/// One file, read block by block.
struct TraceInput {
    std::string name; ///< for messages
    /// Fills a block from its begin and returns the number of bytes; 0 at the end. An error ends the import.
    std::function<base::Result<std::size_t>(std::span<char>)> read;
};
/// One file, as text.
struct TraceText {
    std::string name;
    std::string_view text;
};

/// The content of all files together. One lane per device, in the order of their first stages.
struct ImportedTrace {
    schedule::Schedule schedule;           ///< family "custom", in the order of the first whole step
    std::vector<timeline::Timeline> steps; ///< at least one; each begins at 0; provenance Imported
    std::size_t incompleteSteps = 0;       ///< cut off by the begin or end of the trace; omitted
    std::size_t otherEvents = 0;           ///< "PP:" events other than passes (sends, receives)
};

/// Reads one file for all ranks or one file per rank. A lane is a process and thread of a file, or its GPU if the passes are
/// annotated there. Every stage must be on one lane and every step complete; otherwise fails with InvalidInput, cause and
/// remedy. All sizes and numbers in the files are untrusted.
[[nodiscard]] base::Result<ImportedTrace> importTrace(std::span<const TraceInput> files);
[[nodiscard]] base::Result<ImportedTrace> importTrace(std::span<const TraceText> files);

} // namespace stagelens::exchange
