// Point-to-point transfers between the GPUs of two ranks: the interface of the NCCL plug-in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stagelens::backend {

/// A send from, or a receive into, a GPU's memory.
struct PointToPoint {
    void *data = nullptr;
    std::size_t bytes = 0;
    int peer = 0;
    bool isSend = false;
};

/// The communicator of one rank. It executes operations one post() after another; the peer must post the matching operations in
/// the same order. No function blocks. One thread uses it; afterwards another one may call cancel() and the destructor.
/// Functions throw std::exception with the reason if the connection is broken; then only cancel() may follow.
class Communicator {
public:
    Communicator() = default;
    /// Cancels the operations in flight unless finalize() has completed.
    virtual ~Communicator() = default;
    Communicator(const Communicator &) = delete;
    Communicator &operator=(const Communicator &) = delete;

    /// Returns false while it connects or still enqueues the last post(). No other function may be called meanwhile.
    [[nodiscard]] virtual bool isReady() = 0;
    /// Enqueues operations that may run concurrently, at most one per direction and peer. Their memory must stay valid until
    /// completed() counts them.
    virtual void post(std::span<const PointToPoint> operations) = 0;
    /// Returns how many calls of post() have completed.
    [[nodiscard]] virtual std::int64_t completed() = 0;
    /// Closes the connection. Every post() must have completed.
    virtual void finalize() = 0;
    /// Cancels the operations in flight. May hang if the GPU hangs.
    virtual void cancel() noexcept = 0;
};

} // namespace stagelens::backend
