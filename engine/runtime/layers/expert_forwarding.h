// The all-to-all to experts in which a token is sent once to each node of its experts, and forwarded inside.
#pragma once

#include "engine/backend/transport.h"
#include "engine/base/result.h"
#include "engine/runtime/layers/expert_nodes.h"
#include "engine/runtime/layers/tensor_exchange.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagelens::runtime {

/// One rank's part of Exchange::SendRows and SendGradients with model::ExpertDispatch::PerNode. It runs in three rounds: own
/// tokens go to one rank of each node; that rank forwards each token once to every rank of its node with experts of it; rows
/// are placed. All k rows of a token are equal, so that each arrives with the bits and in the place that it has if a rank sends
/// one for each expert. Packed rows are forwarded as they are. Used by the thread of its device.
class ExpertForwarding {
public:
    /// `transport` connects the expert ranks of the device, of which this is `rank`.
    ExpertForwarding(const Context &context, int rank, backend::Transport &transport, const ExpertNodes &nodes);

    static constexpr int kRounds = 3;
    /// Sends the own tokens to a rank of each node. `routes`: of the own tokens; `gates`: of their choices, or empty.
    void sendOwn(const TensorExchange &exchange, const std::vector<std::int32_t> &routes, const std::vector<float> &gates);
    /// Forwards tokens inside the node, at most `planned`. Returns Cancelled if the run was stopped.
    [[nodiscard]] base::Result<> forward(const TensorExchange &exchange, std::int64_t planned);
    /// Receives how many rows of each rank each expert of this rank gets, [ranks, experts]. Returns false if the run was
    /// stopped.
    [[nodiscard]] bool receiveCounts(std::vector<std::int32_t> &counts);
    /// Receives the rows that receiveCounts() has announced, and puts them in their places, sorted by (expert, rank, token),
    /// and so their gates unless `gates` is empty. Returns false if the run was stopped.
    [[nodiscard]] bool place(const TensorExchange &exchange, const std::vector<std::int32_t> &counts,
                             std::vector<float> &gates);

private:
    /// Tokens of a rank that have arrived to be forwarded.
    struct Arrived {
        std::int64_t tokens = 0;
        std::vector<std::int32_t> experts; ///< [tokens, k], -1 for those that are not on this node
        std::vector<float> gates;
        std::vector<backend::Tensor> messages;
    };
    /// Where things are in a message; see simulate::forwardedMessageFloats().
    [[nodiscard]] std::int64_t expertsAt() const { return 1 + m_experts; }
    [[nodiscard]] std::int64_t gatesAt() const;
    [[nodiscard]] std::int64_t rowsAt() const;
    [[nodiscard]] std::int64_t rowFloats(std::int64_t width) const;

    /// Sends `count` tokens, of which choiceOf(i, j) returns the expert, or -1 if it is elsewhere, and the gate; and
    /// writeRow(i, to) writes the row.
    template <class ChoiceOf, class WriteRow>
    void send(int to, std::uint16_t slot, std::int64_t count, std::int64_t width, const ChoiceOf &choiceOf,
              const WriteRow &writeRow);
    [[nodiscard]] bool receive(int source, Arrived &arrived);
    /// Reads the head of a message to m_head, and returns the number of tokens of its exchange.
    std::int64_t readHead(const backend::Tensor &message);
    [[nodiscard]] std::int32_t number(std::int64_t at) const;

    const Context &m_context;
    int m_rank;
    backend::Transport &m_transport;
    const ExpertNodes &m_nodes;
    std::int64_t m_experts; ///< of a rank
    std::int64_t m_topK;
    std::vector<float> m_head;
    std::vector<backend::Tensor> m_first; ///< of each rank
};

} // namespace stagelens::runtime
