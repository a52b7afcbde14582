// Which rows experts with a capacity drop of a microbatch, among the ranks that route parts of it.
#pragma once

#include "engine/backend/transport.h"
#include "engine/base/result.h"
#include "engine/runtime/layers/tensor_exchange.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// One rank's part of operators::Exchange::DropRows. Every rank sends the gates and choices of its tokens to all others, and
/// finds what the experts drop of the tokens of all ranks in the order of the microbatch. It therefore drops the rows that one
/// rank would drop. It runs in two rounds; the second receives what was sent in the first, so that one thread can run a round
/// of all ranks in turn. The host reads gates and routes of the device. Used by the thread of its device.
class DropExchange {
public:
    /// `transport` connects the ranks of the device that route parts of a microbatch, of which this is `rank`.
    DropExchange(const Context &context, int rank, backend::Transport &transport)
        : m_context(context), m_rank(rank), m_transport(transport)
    {}

    static constexpr int kRounds = 2;
    /// Runs a round; returns Cancelled if the run was stopped.
    [[nodiscard]] base::Result<> run(const TensorExchange &exchange, int round);

private:
    [[nodiscard]] const operators::Block &block() const { return m_context.shape.layer->recipe.block; }
    /// Returns what all ranks send, in the order of backend::Transport::announce().
    [[nodiscard]] std::vector<backend::Message> messagesOf() const;
    void send(const TensorExchange &exchange);
    /// Receives the gates and choices of all ranks. Returns false if the run was stopped.
    [[nodiscard]] bool receive();
    /// Marks the own choices whose rows are dropped, and numbers the others.
    void drop(const TensorExchange &exchange);
    /// Calls use(first choice of the rank, the same in the microbatch, choices) for choices that follow one another.
    template <class Use>
    void eachRun(int rank, const Use &use) const;

    const Context &m_context;
    int m_rank;
    backend::Transport &m_transport;
    std::vector<float> m_gates;         ///< of the microbatch
    std::vector<std::int32_t> m_routes; ///< of the microbatch
    std::vector<float> m_part;          ///< of a rank: gates, then choices
    std::vector<std::int32_t> m_own;    ///< routes of the own tokens
};

} // namespace stagelens::runtime
