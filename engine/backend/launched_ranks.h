// Finds the processes that one mpirun started. Internal to the backend.
#pragma once

#include <chrono>
#include <string>

namespace stagelens::backend {

/// Explains why the processes did not connect within `limit`: names the ranks of this job on this machine that are stopped or
/// missing, or only the own rank if the launcher's environment does not identify the job.
[[nodiscard]] std::string absenceText(std::chrono::milliseconds limit);

} // namespace stagelens::backend
