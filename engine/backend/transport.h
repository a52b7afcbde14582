// How tensors travel between the devices of a run.
#pragma once

#include "engine/backend/memory.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace stagelens::backend {

class Compute;

/// A tensor on its way, or kept. Who holds the only reference may write into it.
using Tensor = std::shared_ptr<Buffer>;

/// Tells messages apart: what is sent, for which stage or round, of which microbatch. Those of equal keys from one rank stay in
/// order.
struct MessageKey {
    std::uint8_t kind = 0;
    std::uint16_t slot = 0;
    std::int32_t microbatch = 0;
    friend auto operator<=>(const MessageKey &, const MessageKey &) = default;
};

/// A message to come.
struct Message {
    int from = 0;
    int to = 0;
    MessageKey key;
    std::int64_t floats = 0;
    friend auto operator<=>(const Message &, const Message &) = default;
};

/// Messages and collectives among `ranks` devices. Each has two halves: the first gives a tensor away and never blocks, the
/// second waits for what it needs. A second half answers null (or nothing) when the run was stopped meanwhile. The collectives
/// are made of messages: reductions combine in rank order, so that their bits depend neither on who comes first nor on how
/// tensors travel.
class Transport {
public:
    explicit Transport(int ranks) : m_ranks(ranks) {}
    virtual ~Transport() = default;
    Transport(const Transport &) = delete;
    Transport &operator=(const Transport &) = delete;
    [[nodiscard]] int ranks() const { return m_ranks; }

    virtual void send(int from, int to, const MessageKey &key, Tensor tensor) = 0;
    [[nodiscard]] virtual Tensor receive(int from, int to, const MessageKey &key) = 0;

    /// From join() to leave() the rank takes part in a step: it may send. Where all that take part wait for what nobody has
    /// sent every wait ends as at a stop, and isDeadlocked() says so. A transport that cannot know it never does.
    virtual void join(int /*rank*/) {}
    virtual void leave(int /*rank*/) {}
    [[nodiscard]] virtual bool isDeadlocked() const { return false; }

    /// Which messages of all ranks follow those told before, in an order in which each can be made once all before it have
    /// come (runtime::messageOrder()). Every process tells the same. A transport that carries a rank's messages one after the
    /// other needs it, and nothing else then; the others do not listen.
    virtual void announce(std::span<const Message> /*order*/) {}
    /// After the last message: ends what is under way. False where that cannot be; what tensors lie in must never be given back
    /// then.
    [[nodiscard]] virtual bool end() { return true; }
    /// Why all waits have ended though nobody stopped the run; empty where that is not so.
    [[nodiscard]] virtual std::string problem() const { return {}; }

    void broadcast(int root, const MessageKey &key, Tensor tensor);
    /// Every rank, the root as well, takes its copy once. It is read-only: the copies may be one.
    [[nodiscard]] Tensor receiveBroadcast(int root, int rank, const MessageKey &key) { return receive(root, rank, key); }

    void giveToAll(int rank, const MessageKey &key, Tensor part) { broadcast(rank, key, std::move(part)); }
    /// All-gather: fills in the parts in rank order, read-only. False when the run was stopped meanwhile.
    [[nodiscard]] bool gather(int rank, const MessageKey &key, std::vector<Tensor> &parts);

    void giveToRoot(int rank, int root, const MessageKey &key, Tensor part) { send(rank, root, key, std::move(part)); }
    /// Reduce: the sum of the parts, which are in the precision of `compute`, added in rank order, for the root alone, which
    /// computes it.
    [[nodiscard]] Tensor reduce(int root, const MessageKey &key, Compute &compute);
    /// As reduce(), but row i of rank r's part counts factors[r * rows + i] times. Parts are [rows, width].
    [[nodiscard]] Tensor reduceScaled(int root, const MessageKey &key, const float *factors, std::int64_t rows,
                                      std::int64_t width, Compute &compute);

private:
    int m_ranks;
};

/// Devices are threads of this process, or take turns on one: tensors change hands without a copy. Waits end when `stop` asks.
[[nodiscard]] std::unique_ptr<Transport> makeInProcessTransport(int ranks, std::stop_token stop);

} // namespace stagelens::backend
