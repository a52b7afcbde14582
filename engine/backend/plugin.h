// Loads the plug-ins for MPI and CUDA.
#pragma once

#include "engine/backend/gpus.h"
#include "engine/backend/process_group.h"

#include <string>

namespace stagelens::backend {

/// Returns why MPI is not usable, or an empty string. Loads the plug-in, but does not start MPI.
[[nodiscard]] std::string mpiProblem();
/// Connects the processes that mpirun started. Call at most once per process.
[[nodiscard]] base::Result<std::shared_ptr<ProcessGroup>> joinThroughMpi();

/// Returns the CUDA plug-in; STAGELENS_CUDA_PLUGIN may name its file. On failure returns null and sets `problem`.
[[nodiscard]] Gpus *cudaGpus(std::string &problem);

} // namespace stagelens::backend
