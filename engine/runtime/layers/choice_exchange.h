// How many tokens of a microbatch chose each expert, among the ranks that route parts of it.
#pragma once

#include "engine/backend/transport.h"
#include "engine/base/result.h"
#include "engine/runtime/layers/tensor_exchange.h"

#include <vector>

namespace stagelens::runtime {

/// One rank's part of operators::Exchange::SumChoices. It runs in two rounds; the second receives what was sent in the first,
/// so that one thread can run a round of all ranks in turn. The sums are whole numbers in float, added in the order of the
/// ranks. Used by the thread of its device.
class ChoiceExchange {
public:
    /// `transport` connects the ranks of the device that route parts of a microbatch, of which this is `rank`.
    ChoiceExchange(const Context &context, int rank, backend::Transport &transport)
        : m_context(context), m_rank(rank), m_transport(transport)
    {}

    static constexpr int kRounds = 2;
    /// Runs a round; returns Cancelled if the run was stopped.
    [[nodiscard]] base::Result<> run(const TensorExchange &exchange, int round);

private:
    /// Returns what all ranks send, in the order of backend::Transport::announce().
    [[nodiscard]] std::vector<backend::Message> messagesOf(const TensorExchange &exchange) const;
    /// Adds by how much the own tokens' choices of each expert exceed the mean.
    void addOwn(const TensorExchange &exchange, float *excess) const;
    void send(const TensorExchange &exchange);
    [[nodiscard]] bool sum(const TensorExchange &exchange);

    const Context &m_context;
    int m_rank;
    backend::Transport &m_transport;
};

} // namespace stagelens::runtime
