// Messages over communicators whose sends may block until they are received, as NCCL's: each rank carries its own one after the
// other, in one order of all (resources/docs/decisions/0008-one-order-of-messages.md).
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
    /// Where its messages are received into; must live longer than the transport and its tensors.
    Pool *pool = nullptr;
    /// Called once, on the thread that will use the communicator.
    std::function<std::unique_ptr<Communicator>()> connect;
};

struct OrderedSettings {
    int ranks = 0;
    std::vector<OrderedRank> here;
    /// A message in words, for people.
    std::function<std::string(const Message &)> describe;
    /// A number that changes whenever a pass ends anywhere in the run. Any thread calls it.
    std::function<std::int64_t()> progress;
    /// For so long, and 20 times the longest time so far, nothing may move while a message is due; six times that before the
    /// first pass has ended.
    std::chrono::milliseconds patience{10'000};
    std::stop_token stop;
};

/// Each rank here has a thread that carries its messages in the order of announce(). Where nothing moves for too long, or a
/// communicator breaks, every wait ends and problem() says why and where each rank here stands. It is destroyed when no rank
/// waits any more; what is under way then is waited for, and given up where that cannot come to an end.
[[nodiscard]] std::unique_ptr<Transport> makeOrderedTransport(OrderedSettings settings);

} // namespace stagelens::backend
