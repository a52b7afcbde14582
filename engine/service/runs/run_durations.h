// The durations of a measured run's passes as costs for predictions.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_record.h"

#include <filesystem>
#include <string>

namespace stagelens::service {

/// Returns the mean duration of every kind of pass on every device and stage in the run's timeline as a durations file (header
/// device,stage,pass,duration_us). Messages are not included: waiting for them is not a cost of a pass. Fails if the run has no
/// timeline.
[[nodiscard]] base::Result<std::string> durationsCsv(const store::RunRecord &run);
/// Writes the same to `run-<number>.csv` in the folder `durations` of the data folder and returns the file.
[[nodiscard]] base::Result<std::filesystem::path> writeDurations(const store::RunRecord &run);

} // namespace stagelens::service
