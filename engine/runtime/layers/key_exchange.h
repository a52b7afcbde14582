// The exchanges among the context ranks of a device: keys and values before attention, and their gradients after it.
#pragma once

#include "engine/backend/transport.h"
#include "engine/base/result.h"
#include "engine/runtime/layers/tensor_exchange.h"

#include <vector>

namespace stagelens::runtime {

/// One rank's part of the collectives of a context group. A gather or scatter runs in two rounds; the second receives what was
/// sent in the first, so that one thread can run a round of all ranks in turn. A hop of a ring is one round; it receives what
/// was sent in the hop before. Gradients are added in the order of the ranks, in a ring beginning after the owner, so the bits
/// depend neither on timing nor on the transport. Used by the thread of its device.
class KeyExchange {
public:
    /// `transport` connects the context ranks of the device.
    KeyExchange(const Context &context, backend::Transport &transport) : m_context(context), m_transport(transport) {}

    [[nodiscard]] static constexpr int rounds(TensorExchange::Kind kind)
    {
        return kind == TensorExchange::Kind::RingKeys || kind == TensorExchange::Kind::RingGradients ? 1 : 2;
    }
    /// Runs a round; returns Cancelled if the run was stopped.
    [[nodiscard]] base::Result<> run(const TensorExchange &exchange, int round);

private:
    /// Returns what all ranks send in the exchange, in the order of backend::Transport::announce().
    [[nodiscard]] std::vector<backend::Message> messagesOf(const TensorExchange &exchange) const;
    /// Calls `visit(first row of the part, first row of whole sequences, rows)` for the tokens of a rank.
    template <class Visit>
    void eachRun(int rank, const Visit &visit) const;
    [[nodiscard]] std::int64_t width() const
    {
        return 2 * m_context.shape.fusedRows().kvWidth();
    } ///< of a row of keys and values
    [[nodiscard]] backend::Tensor newPart();
    [[nodiscard]] backend::Tensor ownKeys(const TensorExchange &exchange);
    void sendKeys(const TensorExchange &exchange);
    [[nodiscard]] bool takeKeys(const TensorExchange &exchange);
    void placeKeys(const TensorExchange &exchange, int rank, const backend::Tensor &part);
    void sendGradients(const TensorExchange &exchange);
    [[nodiscard]] bool addGradients(const TensorExchange &exchange);
    [[nodiscard]] backend::Tensor fromPrevious(const backend::MessageKey &key);
    void toNext(const backend::MessageKey &key, backend::Tensor part);
    [[nodiscard]] bool passKeys(const TensorExchange &exchange);
    [[nodiscard]] bool passGradients(const TensorExchange &exchange);
    void placeGradients(const TensorExchange &exchange, const Values &rows);

    const Context &m_context;
    backend::Transport &m_transport;
    backend::Tensor m_own; ///< this rank's part of the gradients of its own keys
    std::vector<backend::Tensor> m_parts;
    std::vector<Values> m_values;
};

} // namespace stagelens::runtime
