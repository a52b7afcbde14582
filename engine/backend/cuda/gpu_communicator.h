// A rank's end of NCCL's messages.
#pragma once

#include "engine/backend/communicator.h"
#include "engine/backend/cuda/nccl.h"

#include <memory>

namespace stagelens::backend {

/// On a stream of its own of that GPU. Begins to connect with the others of that id. Throws as Communicator does.
[[nodiscard]] std::unique_ptr<Communicator> makeGpuCommunicator(Nccl &nccl, const NcclId &id, int ranks, int rank, int gpu);

} // namespace stagelens::backend
