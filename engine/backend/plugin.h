// The plug-ins beside the program.
#pragma once

#include "engine/backend/gpus.h"
#include "engine/backend/process_group.h"

#include <string>

namespace stagelens::backend {

/// Why processes cannot be joined through MPI here; empty where they can. Loads the plug-in, but does not start MPI.
[[nodiscard]] std::string mpiProblem();
/// Joins the processes that mpirun started; once in a process.
[[nodiscard]] base::Result<std::shared_ptr<ProcessGroup>> joinThroughMpi();

/// The GPUs that the plug-in for CUDA knows, which STAGELENS_CUDA_PLUGIN may name; null, with the reason in `problem`, where it
/// cannot be loaded.
[[nodiscard]] Gpus *cudaGpus(std::string &problem);

} // namespace stagelens::backend
