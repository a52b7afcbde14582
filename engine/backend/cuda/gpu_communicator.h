// The communicator of a rank over NCCL.
#pragma once

#include "engine/backend/communicator.h"
#include "engine/backend/cuda/nccl.h"

#include <memory>

namespace stagelens::backend {

/// Creates a communicator with a stream of its own on that GPU and starts to connect with the other ranks of `id`. Throws like
/// Communicator.
[[nodiscard]] std::unique_ptr<Communicator> makeGpuCommunicator(Nccl &nccl, const NcclId &id, int ranks, int rank, int gpu);

} // namespace stagelens::backend
