// Transport over communicators whose sends may block until they are received, such as NCCL's. Each rank sends and receives in
// one global order of messages (resources/docs/decisions/0008-one-order-of-messages.md).
#pragma once

#include "engine/backend/communicator.h"
#include "engine/backend/transport.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::backend {

/// A rank whose device is in this process.
struct OrderedRank {
    int rank = 0;
    /// Allocates received tensors. Must outlive the transport and those tensors.
    Pool *pool = nullptr;
    /// Creates the communicator. Called once, on the thread that uses it.
    std::function<std::unique_ptr<Communicator>()> connect;
    std::string name = "device " + std::to_string(rank); ///< in error texts
};

struct OrderedSettings {
    int ranks = 0;
    std::vector<OrderedRank> here;
    /// Describes a message for error texts.
    std::function<std::string(const Message &)> describe;
    /// Returns a number that changes whenever a pass ends anywhere in the run. Called on any thread.
    std::function<std::int64_t()> progress;
    /// The run counts as stalled if a message is pending and nothing completes for this long and for 20 times the longest
    /// interval so far. Before the first pass has ended the limit is six times this.
    std::chrono::milliseconds stallTimeout{10'000};
    std::stop_token stop;
};

/// Each rank in `here` has a communication thread that follows the order of announce(). If the run stalls or a communicator
/// breaks, every wait ends, and problem() returns the reason and the progress of each rank in this process. No rank may wait
/// when the transport is destroyed; the destructor waits for messages in flight and aborts those that do not complete.
[[nodiscard]] std::unique_ptr<Transport> makeOrderedTransport(OrderedSettings settings);

} // namespace stagelens::backend
