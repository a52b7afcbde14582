// Some ranks of a transport, numbered anew.
#pragma once

#include "engine/backend/transport.h"

#include <utility>
#include <vector>

namespace stagelens::backend {

/// Carries messages and collectives of a group over the transport of all ranks. Two groups of one transport may have at most
/// one rank in common, else their messages mix.
class TransportGroup final : public Transport {
public:
    /// `ranks` are those of the group in `all`, which must outlive it.
    TransportGroup(Transport &all, std::vector<int> ranks)
        : Transport(static_cast<int>(ranks.size())), m_all(all), m_ranks(std::move(ranks))
    {}

    void send(int from, int to, const MessageKey &key, Tensor tensor) override
    {
        m_all.send(rankOf(from), rankOf(to), key, std::move(tensor));
    }
    [[nodiscard]] Tensor receive(int from, int to, const MessageKey &key) override
    {
        return m_all.receive(rankOf(from), rankOf(to), key);
    }
    void join(int rank) override { m_all.join(rankOf(rank)); }
    void leave(int rank) override { m_all.leave(rankOf(rank)); }
    [[nodiscard]] bool isDeadlocked() const override { return m_all.isDeadlocked(); }
    [[nodiscard]] bool isOrdered() const override { return m_all.isOrdered(); }
    void announce(int rank, std::span<const Message> order) override
    {
        std::vector<Message> renamed(order.begin(), order.end());
        for (Message &message : renamed) {
            message.from = rankOf(message.from);
            message.to = rankOf(message.to);
        }
        m_all.announce(rankOf(rank), renamed);
    }
    [[nodiscard]] std::string problem() const override { return m_all.problem(); }

private:
    [[nodiscard]] int rankOf(int member) const { return m_ranks[static_cast<std::size_t>(member)]; }

    Transport &m_all;
    std::vector<int> m_ranks;
};

} // namespace stagelens::backend
