// How one rank's GPU and the others' exchange bytes: all that the transport over NCCL needs of a plug-in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stagelens::backend {

/// Bytes in a GPU's memory that go to a peer, or their place where they come from one.
struct Parcel {
    void *data = nullptr;
    std::size_t bytes = 0;
    int peer = 0;
    bool isSend = false;
};

/// One rank's end. What it is given is carried out in that order, one after the other; the peer must be given the counterpart,
/// in the same order of all between the two. No call waits. Used by one thread, but giveUp() and the destructor by another one
/// after it. Calls throw std::exception with the reason where the connection is broken; what remains is giveUp().
class Communicator {
public:
    Communicator() = default;
    /// Gives up what finalize() has not ended.
    virtual ~Communicator() = default;
    Communicator(const Communicator &) = delete;
    Communicator &operator=(const Communicator &) = delete;

    /// False while it is busy with connecting, or with what it was asked for last; it can be asked for nothing meanwhile.
    [[nodiscard]] virtual bool isReady() = 0;
    /// Gives it parcels that may move at once, at most one in each direction of any peer. The memory must stay until done()
    /// counts them.
    virtual void post(std::span<const Parcel> together) = 0;
    /// How many calls of post() are over.
    [[nodiscard]] virtual std::int64_t done() = 0;
    /// Ends it in good order, once all is done.
    virtual void finalize() = 0;
    /// Gives up whatever is under way. May hang where the GPU does.
    virtual void giveUp() noexcept = 0;
};

} // namespace stagelens::backend
