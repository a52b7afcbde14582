// What is called of NCCL, without its header: the library, or the mock of the tests (host/nccl.cpp).
#pragma once

#include "kernels/include/stream.h"

#include <array>
#include <cstddef>
#include <string>

namespace stagelens::backend {

/// A ncclUniqueId, by which the ranks of a communicator find each other.
using NcclId = std::array<std::byte, 128>;

/// Each function is NCCL's of that name: it answers a ncclResult_t. All communicators are non-blocking.
class Nccl {
public:
    using Comm = void *; ///< a ncclComm_t
    static constexpr int kSuccess = 0;
    static constexpr int kInProgress = 7;

    virtual ~Nccl() = default;
    /// "2.28.9".
    [[nodiscard]] virtual std::string version() = 0;
    [[nodiscard]] virtual int getUniqueId(NcclId &id) = 0;
    /// For the GPU in use.
    [[nodiscard]] virtual int commInitRankConfig(Comm &comm, int ranks, const NcclId &id, int rank) = 0;
    [[nodiscard]] virtual int commGetAsyncError(Comm comm, int &state) = 0;
    [[nodiscard]] virtual int groupStart() = 0;
    [[nodiscard]] virtual int groupEnd() = 0;
    [[nodiscard]] virtual int send(const void *data, std::size_t bytes, int peer, Comm comm, kernels::gpu::Stream stream) = 0;
    [[nodiscard]] virtual int recv(void *data, std::size_t bytes, int peer, Comm comm, kernels::gpu::Stream stream) = 0;
    [[nodiscard]] virtual int commFinalize(Comm comm) = 0;
    virtual int commDestroy(Comm comm) = 0;
    virtual int commAbort(Comm comm) = 0;
    /// What a result means, with what NCCL remembers of it.
    [[nodiscard]] virtual std::string explain(int result, Comm comm) = 0;
};

/// The one that this plug-in has; null, with the reason in `problem`, where it cannot be loaded.
[[nodiscard]] Nccl *nccl(std::string &problem);

} // namespace stagelens::backend
