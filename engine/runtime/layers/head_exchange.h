// The exchanges around attention of context ranks that have all tokens of some heads there (Ulysses, arXiv 2309.14509).
#pragma once

#include "engine/backend/transport.h"
#include "engine/base/result.h"
#include "engine/runtime/layers/tensor_exchange.h"

#include <array>
#include <vector>

namespace stagelens::runtime {

/// One rank's part of the all-to-all of a context group. The second round receives what was sent in the first. Numbers are
/// moved, not added, so the bits depend on nothing. Used by the thread of its device.
class HeadExchange {
public:
    /// `transport` connects the context ranks of the device.
    HeadExchange(const Context &context, backend::Transport &transport) : m_context(context), m_transport(transport) {}

    /// Runs a round; returns Cancelled if the run was stopped.
    [[nodiscard]] base::Result<> run(const TensorExchange &exchange, int round);

private:
    /// Columns of the rows of all heads that belong to one rank's heads, and where they begin in the rows of those heads.
    struct Columns {
        std::int64_t first = 0;
        std::int64_t width = 0;
        std::int64_t inHeads = 0;
    };
    /// Returns what all ranks send in the exchange, in the order of backend::Transport::announce().
    [[nodiscard]] std::vector<backend::Message> messagesOf(const TensorExchange &exchange) const;
    [[nodiscard]] std::array<Columns, 3> columnsOf(const TensorExchange &exchange, int rank) const;
    void send(const TensorExchange &exchange, int to);
    void place(const TensorExchange &exchange, int from, const Values &part);
    /// Copies the tokens of `rank` between rows of the whole sequences and a part.
    template <class Copy>
    void eachRun(int rank, const Copy &copy) const;

    const Context &m_context;
    backend::Transport &m_transport;
};

} // namespace stagelens::runtime
