// Transport of tensors between the devices of a run.
#pragma once

#include "engine/backend/memory.h"
#include "engine/base/precision.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace stagelens::backend {

class Compute;

/// A tensor in flight or retained. Writable only while its reference count is one.
using Tensor = std::shared_ptr<Buffer>;

/// Identifies a message: what it contains, for which stage or round, of which microbatch. Messages with equal keys from one
/// rank stay in order.
struct MessageKey {
    std::uint8_t kind = 0;
    std::uint16_t slot = 0;
    std::int32_t microbatch = 0;
    friend auto operator<=>(const MessageKey &, const MessageKey &) = default;
};

/// Describes a message before it is sent.
struct Message {
    int from = 0;
    int to = 0;
    MessageKey key;
    std::int64_t floats = 0;
    friend auto operator<=>(const Message &, const Message &) = default;
};

/// Rows of one width in a message.
struct RowBlock {
    std::int64_t rows = 0;
    std::int64_t width = 0;
};

/// Messages and collectives among `ranks` devices. Every collective has two halves: a non-blocking send and a blocking receive.
/// A receive returns null (or false) if the run was stopped. Collectives consist of messages. Reductions add in rank order, so
/// the bits of the result depend neither on timing nor on the transport.
class Transport {
public:
    explicit Transport(int ranks) : m_ranks(ranks) {}
    virtual ~Transport() = default;
    Transport(const Transport &) = delete;
    Transport &operator=(const Transport &) = delete;
    [[nodiscard]] int ranks() const { return m_ranks; }

    virtual void send(int from, int to, const MessageKey &key, Tensor tensor) = 0;
    [[nodiscard]] virtual Tensor receive(int from, int to, const MessageKey &key) = 0;

    /// Between join() and leave() a rank takes part in a step and may send. If every participant waits for a message that was
    /// never sent, all waits return as after a stop and isDeadlocked() becomes true. Transports that cannot detect this never
    /// report it.
    virtual void join(int /*rank*/) {}
    virtual void leave(int /*rank*/) {}
    [[nodiscard]] virtual bool isDeadlocked() const { return false; }

    /// Returns whether it is an ordered transport, to which announce() tells every message.
    [[nodiscard]] virtual bool isOrdered() const { return false; }
    /// Tells the messages that `rank` sends and receives next, after those announced before. Each message depends only on
    /// messages before it (runtime::messageOrder()), and the same order is announced to every rank that it names.
    virtual void announce(int /*rank*/, std::span<const Message> /*order*/) {}
    /// Ends the transport after the last message. Returns false if messages in flight cannot be cancelled; then the memory of
    /// their tensors must never be freed.
    [[nodiscard]] virtual bool end() { return true; }
    /// Returns why all waits have ended without a stop, or an empty string.
    [[nodiscard]] virtual std::string problem() const { return {}; }

    void broadcast(int root, const MessageKey &key, Tensor tensor);
    /// Receives a broadcast; every rank, including the root, calls it once. The tensor is read-only because ranks may share it.
    [[nodiscard]] Tensor receiveBroadcast(int root, int rank, const MessageKey &key) { return receive(root, rank, key); }

    /// Receives the parts of an all-gather, which every rank broadcasts, in rank order, read-only. Returns false if the run was
    /// stopped.
    [[nodiscard]] bool gather(int rank, const MessageKey &key, std::vector<Tensor> &parts);

    /// Receives the parts of a reduce, which every rank sends to the root, and adds them in rank order, which `compute`
    /// does. `precision`: of the parts; absent: that of `compute`.
    [[nodiscard]] Tensor reduce(int root, const MessageKey &key, Compute &compute,
                                std::optional<base::Precision> precision = {});
    /// Like reduce(), but multiplies row i of rank r's part of each block by factors[r * rows + i]. The blocks of a part follow
    /// each other, and so do their factors.
    [[nodiscard]] Tensor reduceScaled(int root, const MessageKey &key, const float *factors, std::span<const RowBlock> blocks,
                                      Compute &compute);

private:
    int m_ranks;
};

/// Creates a transport for devices that are threads of this process or take turns on one thread. Tensors are passed without a
/// copy. Waits end when `stop` is requested.
[[nodiscard]] std::unique_ptr<Transport> makeInProcessTransport(int ranks, std::stop_token stop);

} // namespace stagelens::backend
