// The exchanges among the tensor ranks of a device: within passes, and of the gradients that several ranks have parts of.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/shard.h"
#include "engine/runtime/executor/device_model.h"
#include "engine/runtime/layers/tensor_exchange.h"

#include <vector>

namespace stagelens::runtime {

/// One rank's part of the collectives of a tensor group. A collective runs in rounds; what a round receives was sent in the
/// rounds before it, so that one thread can run a round of all ranks in turn. A rank sends as many bytes as in a ring. Sums are
/// added in rank order, so the bits depend neither on timing nor on the transport. Used by the thread of its device.
class TensorCollectives {
public:
    /// `transport` connects the tensor ranks of the device. `sumsShares`: replicas have summed the gradients before, so that a
    /// rank has those of its share (Parameter::share), which its tensor ranks share alike.
    TensorCollectives(const RankPlace &place, const Context &context, DeviceModel &model, backend::Transport &transport,
                      bool sumsShares);

    [[nodiscard]] static int rounds(TensorExchange::Kind kind);
    /// Runs a round; returns Cancelled if the run was stopped.
    [[nodiscard]] base::Result<> run(const TensorExchange &exchange, int round);

    // The sum of the gradients of parameters that several ranks hold and have parts of (operators::needsSum()), in every rank.
    [[nodiscard]] int sumRounds() const { return 2 * static_cast<int>(m_chunks.size()); }
    [[nodiscard]] base::Result<> runSum(int round);
    /// Returns the bytes that this rank sends to others.
    [[nodiscard]] base::Bytes sumBytes() const;

    [[nodiscard]] backend::Transport &transport() const { return m_transport; }

private:
    /// Elements of the gradient of a parameter.
    struct Piece {
        std::size_t parameter = 0;
        layout::Interval elements;
    };
    /// Pieces that the same ranks sum, in one message.
    struct Chunk {
        std::vector<Piece> pieces;
        std::int64_t floats = 0;
        int copies = 1; ///< consecutive ranks that hold them
    };

    /// Returns the messages of the exchange among all ranks, in an order that suits all of them.
    [[nodiscard]] std::vector<backend::Message> messagesOf(const TensorExchange &exchange) const;
    [[nodiscard]] layout::Interval part(const TensorExchange &exchange, int rank) const;
    [[nodiscard]] backend::Tensor copyOf(const Values &numbers, std::int64_t count);
    void sendRows(const TensorExchange &exchange);
    [[nodiscard]] bool takeRows(const TensorExchange &exchange, std::uint16_t slot);
    void sendParts(const TensorExchange &exchange);
    [[nodiscard]] bool addParts(const TensorExchange &exchange);
    void sendStatistics(const TensorExchange &exchange);
    [[nodiscard]] bool combineStatistics(const TensorExchange &exchange);
    void addPiece(const Piece &piece, int copies);
    void sendChunk(int chunk);
    [[nodiscard]] bool addChunk(int chunk);
    [[nodiscard]] const std::vector<std::unique_ptr<Parameter>> &parameters() const { return m_model.parameters(); }

    int m_rank;
    int m_ranks;
    const Context &m_context;
    DeviceModel &m_model;
    backend::Transport &m_transport;
    std::vector<Chunk> m_chunks;
    std::vector<backend::Tensor> m_parts; ///< of the exchange at hand
    std::vector<Values> m_values;
    std::vector<const float *> m_addresses;
};

} // namespace stagelens::runtime
