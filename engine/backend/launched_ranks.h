// The processes that one mpirun has started, as far as the system shows them. Internal to the backend.
#pragma once

#include <chrono>
#include <string>

namespace stagelens::backend {

/// Why the processes have not met within `limit`: which ranks of this job on this machine are stopped, or are not there. Names
/// the own rank alone if the launcher does not tell its processes apart.
[[nodiscard]] std::string absenceText(std::chrono::milliseconds limit);

} // namespace stagelens::backend
