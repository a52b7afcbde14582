// Measured timelines from other programs: Chrome and Kineto traces whose complete events are named as PyTorch's pipeline
// runtime names its actions, "PP:<stage><F|B|I|W><microbatch>".
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

/// One file, read block after block.
struct TraceInput {
    std::string name; ///< for messages
    /// Fills a block from the front and answers how much of it; 0 at the end. An error ends the import.
    std::function<base::Result<std::size_t>(std::span<char>)> read;
};
/// One file, as text.
struct TraceText {
    std::string name;
    std::string_view text;
};

/// What the files hold together. One lane a device, in the order of their first stages.
struct ImportedTrace {
    schedule::Schedule schedule;           ///< family "custom", in the order of the first whole step
    std::vector<timeline::Timeline> steps; ///< at least one; each begins at 0; provenance Imported
    std::size_t incompleteSteps = 0;       ///< that the trace began or ended in; they are left out
    std::size_t otherEvents = 0;           ///< "PP:" events that are no pass (sends, receives and the like)
};

/// Reads one file of all ranks or one file a rank; a lane is a file's process and thread, or its GPU where the passes are
/// annotated there. Every stage must stand on one lane and every step be whole; InvalidInput says what is missing and what
/// helps. All sizes and numbers of the files are distrusted.
[[nodiscard]] base::Result<ImportedTrace> importTrace(std::span<const TraceInput> files);
[[nodiscard]] base::Result<ImportedTrace> importTrace(std::span<const TraceText> files);

} // namespace stagelens::exchange
