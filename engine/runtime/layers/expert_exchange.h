// The all-to-alls among the ranks that share the experts of a layer: rows to experts and back, and their gradients.
#pragma once

#include "engine/backend/transport.h"
#include "engine/base/result.h"
#include "engine/runtime/layers/arrivals.h"
#include "engine/runtime/layers/expert_forwarding.h"
#include "engine/runtime/layers/tensor_exchange.h"

#include <optional>
#include <vector>

namespace stagelens::runtime {

/// One rank's part of the collectives of an expert group. Each runs in rounds; those after the first receive what was sent in
/// the first, so that one thread can run a round of all ranks in turn. Rows of tokens take one round more, in which ranks learn
/// how many others send them. Rows travel in messages of simulate::kExpertRows rows, the first with the number of rows of each
/// expert. Nothing is added, so the bits depend neither on timing nor on the transport.
/// On their way to experts rows are packed if Shape::dispatched says so, also those that stay on the rank, and may be forwarded
/// by other ranks: see ExpertForwarding.
/// The host reads routes, counts and gates of the device; rows are copied where they are. Used by the thread of its device.
class ExpertExchange {
public:
    /// `transport` connects the expert ranks of the device, of which this is `rank`. `nodes`: simulate::forwardingNodes().
    ExpertExchange(const Context &context, int rank, backend::Transport &transport, const std::vector<int> &nodes);

    /// Returns the rounds of an exchange.
    [[nodiscard]] int rounds(TensorExchange::Kind kind) const
    {
        if (m_nodes.forwards() && isToExperts(kind))
            return ExpertForwarding::kRounds;
        return kind == TensorExchange::Kind::SendRows ? 3 : 2;
    }
    /// Runs a round; returns Cancelled if the run was stopped, and fails if more rows arrive than are planned.
    [[nodiscard]] base::Result<> run(const TensorExchange &exchange, int round);

private:
    [[nodiscard]] static bool isToExperts(TensorExchange::Kind kind)
    {
        return kind == TensorExchange::Kind::SendRows || kind == TensorExchange::Kind::SendGradients;
    }
    /// Runs a round of an exchange in which ranks forward tokens.
    [[nodiscard]] base::Result<> runForwarding(const TensorExchange &exchange, int round);
    [[nodiscard]] base::Result<> takeForwarded(const TensorExchange &exchange);
    /// Fails if more rows arrive than are planned, from the rows of each rank and expert.
    [[nodiscard]] base::Result<> checkRows(const std::vector<std::int32_t> &counts) const;
    /// Counts the rows of each expert, of all ranks, that the own tokens have chosen.
    void countOwn(const TensorExchange &exchange);
    /// Reads what takeRows() has written.
    void readArrivals(const TensorExchange &exchange);
    [[nodiscard]] std::int64_t planned() const; ///< rows of the experts of this rank
    [[nodiscard]] Arrivals arrivals() { return {m_arrivals.data(), planned()}; }
    [[nodiscard]] const std::int32_t *slotTable() const { return m_routes.data() + 2 * m_shape.rows(); }
    [[nodiscard]] std::int64_t firstOwn(int rank) const; ///< row of the own tokens that goes to a rank
    [[nodiscard]] std::int64_t ownRows(int rank) const { return firstOwn(rank + 1) - firstOwn(rank); }
    /// Lists the rows of the experts that came from a rank.
    void listArrivals(int rank);
    /// What is known of the rows that others send.
    enum class Known : std::uint8_t {
        FirstMessages,   ///< nothing yet: each rank sends at least one message
        RowsThatArrived, ///< the first messages have said how many rows follow
        AllRows,         ///< they are those of the exchange before
    };
    /// Tells an ordered transport which messages follow, in the same order on all ranks.
    void announce(const TensorExchange &exchange, Known known);
    [[nodiscard]] std::int64_t messageFloats(const TensorExchange &exchange) const;
    void sendOwn(const TensorExchange &exchange);
    void sendArrived(const TensorExchange &exchange);
    /// Sends rows whose places `rowOf(i)` and `gateOf(i)` return; gates are those of m_gates, if there are any.
    template <class RowOf, class GateOf>
    void send(const TensorExchange &exchange, int to, std::int64_t count, const RowOf &rowOf, const GateOf &gateOf);
    /// Returns the format of the rows of an exchange; absent if they keep their bits.
    [[nodiscard]] std::optional<kernels::Codec> codecOf(const TensorExchange &exchange) const;
    /// Writes rows of the exchange to a message, and rows of a message to their places.
    void writeRows(const TensorExchange &exchange, float *message, std::int64_t first, std::int64_t row, std::int64_t count);
    void placeRows(const TensorExchange &exchange, float *message, std::int64_t first, std::int64_t row, std::int64_t count);
    /// Receives what send() sent, puts each row in its place, and calls `takeGate(i, gate)`; `first` is the first message, if
    /// it has arrived.
    template <class RowOf, class TakeGate>
    [[nodiscard]] bool receive(const TensorExchange &exchange, int from, std::int64_t count, backend::Tensor first,
                               const RowOf &rowOf, const TakeGate &takeGate);
    /// Receives the first messages, counts what arrives, and announces the messages that follow.
    [[nodiscard]] base::Result<> takeCounts(const TensorExchange &exchange);
    [[nodiscard]] base::Result<> takeRows(const TensorExchange &exchange);
    [[nodiscard]] bool takeGradients(const TensorExchange &exchange);
    [[nodiscard]] bool takeReturned(const TensorExchange &exchange);
    /// Writes the tables of arrivals from the rows of each rank and expert, [ranks, experts].
    void sortArrivals(const std::vector<std::int32_t> &counts);
    void readGates(ConstValues gates, std::int64_t count);
    void writeGates(Values gates);

    const Context &m_context;
    int m_rank;
    int m_ranks;
    backend::Transport &m_transport;
    ExpertNodes m_nodes;
    ExpertForwarding m_forwarding;
    std::int64_t m_experts;               ///< of a rank
    kernels::RoutingShape m_shape;        ///< of the microbatch or slice at hand
    std::vector<std::int32_t> m_routes;   ///< of the own tokens
    std::vector<std::int32_t> m_arrivals; ///< see Arrivals
    std::vector<float> m_gates;
    std::vector<float> m_head;          ///< of a message: rows of each expert, gates
    std::vector<std::int64_t> m_own;    ///< first row of each expert, of the own tokens
    std::vector<std::int64_t> m_listed; ///< see listArrivals()
    std::vector<backend::Tensor> m_first;
};

} // namespace stagelens::runtime
