// How long each pass of a measured run took, as costs for predictions.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_record.h"

#include <filesystem>
#include <string>

namespace stagelens::service {

/// The mean duration of every kind of pass on every device and stage in the run's timeline, as a durations file (header
/// device,stage,pass,duration_us). Messages are not in it: what a run waited for them is no cost of a pass. Failed where the
/// run has no timeline.
[[nodiscard]] base::Result<std::string> durationsCsv(const store::RunRecord &run);
/// The same written to `run-<number>.csv` in the data folder's `durations`; answers the file.
[[nodiscard]] base::Result<std::filesystem::path> writeDurations(const store::RunRecord &run);

} // namespace stagelens::service
