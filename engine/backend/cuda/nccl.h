// The functions of NCCL in use, without its header: implemented by the library, or by the mock of the tests
// (tests/cuda_emulator/mock_nccl.cpp).
#pragma once

#include "kernels/include/stream.h"

#include <array>
#include <cstddef>
#include <string>

namespace stagelens::backend {

/// A ncclUniqueId, by which the ranks of a communicator connect.
using NcclId = std::array<std::byte, 128>;

/// Each function calls the NCCL function of that name and returns its ncclResult_t. All communicators are non-blocking.
class Nccl {
public:
    using Comm = void *; ///< a ncclComm_t
    static constexpr int kSuccess = 0;
    static constexpr int kInProgress = 7;

    virtual ~Nccl() = default;
    /// Returns, for example, "2.28.9".
    [[nodiscard]] virtual std::string version() = 0;
    [[nodiscard]] virtual int getUniqueId(NcclId &id) = 0;
    /// Uses the selected GPU.
    [[nodiscard]] virtual int commInitRankConfig(Comm &comm, int ranks, const NcclId &id, int rank) = 0;
    [[nodiscard]] virtual int commGetAsyncError(Comm comm, int &state) = 0;
    [[nodiscard]] virtual int groupStart() = 0;
    [[nodiscard]] virtual int groupEnd() = 0;
    [[nodiscard]] virtual int send(const void *data, std::size_t bytes, int peer, Comm comm, kernels::gpu::Stream stream) = 0;
    [[nodiscard]] virtual int recv(void *data, std::size_t bytes, int peer, Comm comm, kernels::gpu::Stream stream) = 0;
    [[nodiscard]] virtual int commFinalize(Comm comm) = 0;
    virtual int commDestroy(Comm comm) = 0;
    virtual int commAbort(Comm comm) = 0;
    /// Describes a result, with the last error that NCCL recorded.
    [[nodiscard]] virtual std::string explain(int result, Comm comm) = 0;
};

/// Returns the NCCL of this plug-in. If it cannot be loaded returns null and sets `problem`.
[[nodiscard]] Nccl *nccl(std::string &problem);

} // namespace stagelens::backend
