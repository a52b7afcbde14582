#include "engine/runtime/executor/tensor_collectives.h"

#include "engine/simulate/buffers.h"

#include <algorithm>

namespace stagelens::runtime {

using backend::MessageKey;
using backend::Tensor;
using layout::Interval;
using Kind = TensorExchange::Kind;

namespace {

/// Kind of the messages, in addition to those of passes and of other collectives. The ranks of a tensor group send each other
/// nothing else. The slot identifies the content of a message.
constexpr std::uint8_t kMessageKind = 251;
enum Slot : std::uint16_t { kRows, kParts, kSum, kStatistics, kChunk };

constexpr MessageKey keyOf(Slot slot, int number = 0)
{
    return {kMessageKind, slot, number};
}

constexpr bool isOfStatistics(Kind kind)
{
    return kind == Kind::Maxima || kind == Kind::Sums;
}

} // namespace

TensorCollectives::TensorCollectives(const RankPlace &place, const Context &context, DeviceModel &model,
                                     backend::Transport &transport, bool sumsShares)
    : m_rank(place.tensor), m_ranks(transport.ranks()), m_context(context), m_model(model), m_transport(transport)
{
    // A chunk has the parameters that the same ranks hold; there are at most two such sets.
    for (const bool isOfAll : {true, false})
        for (std::size_t i = 0; i < parameters().size(); ++i)
            if (const Parameter &each = *parameters()[i]; each.needsSum && (each.copies == m_ranks) == isOfAll)
                addPiece({i, sumsShares ? each.share : each.whole()}, each.copies);
}

int TensorCollectives::rounds(Kind kind)
{
    return kind == Kind::AllReduce ? 3 : 2;
}

base::Result<> TensorCollectives::run(const TensorExchange &exchange, int round)
{
    if (round == 0 && m_transport.isOrdered())
        m_transport.announce(m_rank, messagesOf(exchange));
    bool isWhole = true;
    switch (exchange.kind) {
    case Kind::AllGather: round == 0 ? sendRows(exchange) : void(isWhole = takeRows(exchange, kRows)); break;
    case Kind::ReduceScatter:
    case Kind::AllReduce:
        if (round == 0)
            sendParts(exchange);
        else
            isWhole = round == 1 ? addParts(exchange) : takeRows(exchange, kSum);
        break;
    case Kind::Maxima:
    case Kind::Sums: round == 0 ? sendStatistics(exchange) : void(isWhole = combineStatistics(exchange)); break;
    default: break; // see KeyExchange, HeadExchange and ExpertExchange
    }
    return isWhole ? base::Result<>() : base::Error::cancelled();
}

std::vector<backend::Message> TensorCollectives::messagesOf(const TensorExchange &exchange) const
{
    std::vector<backend::Message> all;
    const auto add = [&](Slot slot, const auto &floatsOf) {
        for (int from = 0; from < m_ranks; ++from)
            for (int to = 0; to < m_ranks; ++to)
                if (const std::int64_t floats = from == to ? 0 : floatsOf(from, to); floats > 0)
                    all.push_back({from, to, keyOf(slot), floats});
    };
    const auto ofSender = [&](int from, int /*to*/) { return m_context.shape.floats(part(exchange, from).size()); };
    const auto ofReceiver = [&](int /*from*/, int to) { return m_context.shape.floats(part(exchange, to).size()); };
    const std::int64_t rows = m_context.shape.statisticRows();
    switch (exchange.kind) {
    case Kind::AllGather: add(kRows, ofSender); break;
    case Kind::ReduceScatter: add(kParts, ofReceiver); break;
    case Kind::AllReduce:
        add(kParts, ofReceiver);
        add(kSum, ofSender);
        break;
    case Kind::Maxima: add(kStatistics, [&](int, int) { return rows; }); break;
    case Kind::Sums: add(kStatistics, [&](int, int) { return 2 * rows; }); break;
    default: break; // see run()
    }
    return all;
}

Interval TensorCollectives::part(const TensorExchange &exchange, int rank) const
{
    const std::int64_t rows = m_context.shape.tokens();
    const std::int64_t each = (rows + m_ranks - 1) / m_ranks;
    return {std::min(rank * each, rows) * exchange.width, std::min((rank + 1) * each, rows) * exchange.width};
}

Tensor TensorCollectives::copyOf(const Values &numbers, std::int64_t count)
{
    Tensor message = m_context.memory.allocateMessage(m_context.shape.floats(count));
    m_context.compute.copy(m_context.of(message), numbers, count);
    return message;
}

void TensorCollectives::sendRows(const TensorExchange &exchange)
{
    const Interval own = part(exchange, m_rank);
    const Tensor message = copyOf(exchange.in, own.size());
    m_context.compute.copy(exchange.out + own.begin, exchange.in, own.size());
    m_context.compute.finish();
    for (int other = 0; other < m_ranks; ++other)
        if (other != m_rank && own.size() > 0)
            m_transport.send(m_rank, other, keyOf(kRows), message);
}

bool TensorCollectives::takeRows(const TensorExchange &exchange, std::uint16_t slot)
{
    for (int other = 0; other < m_ranks; ++other) {
        const Interval theirs = part(exchange, other);
        if (other == m_rank || theirs.size() == 0)
            continue;
        const Tensor message = m_transport.receive(other, m_rank, keyOf(static_cast<Slot>(slot)));
        if (!message)
            return false;
        m_context.compute.copy(exchange.out + theirs.begin, m_context.of(message), theirs.size());
        m_context.compute.finish(); // before the message is released
    }
    return true;
}

void TensorCollectives::sendParts(const TensorExchange &exchange)
{
    for (int owner = 0; owner < m_ranks; ++owner) {
        const Interval theirs = part(exchange, owner);
        if (owner == m_rank || theirs.size() == 0)
            continue;
        Tensor message = copyOf(exchange.in + theirs.begin, theirs.size());
        m_context.compute.finish();
        m_transport.send(m_rank, owner, keyOf(kParts), std::move(message));
    }
}

/// Adds this rank's part of the sum. The parts of lower ranks come first.
bool TensorCollectives::addParts(const TensorExchange &exchange)
{
    const Interval own = part(exchange, m_rank);
    if (own.size() == 0)
        return true;
    m_parts.assign(static_cast<std::size_t>(m_ranks), nullptr);
    m_values.clear();
    for (int from = 0; from < m_ranks; ++from) {
        if (from == m_rank) {
            m_values.push_back(exchange.in + own.begin);
            continue;
        }
        Tensor &part = m_parts[size(from)] = m_transport.receive(from, m_rank, keyOf(kParts));
        if (!part)
            return false;
        m_values.push_back(m_context.of(part));
    }
    m_context.compute.sumParts(m_values, own.size());
    const bool isAllReduce = exchange.kind == Kind::AllReduce;
    const Values out = isAllReduce ? exchange.out + own.begin : exchange.out;
    if (out.address() != m_values.front().address())
        m_context.compute.copy(out, m_values.front(), own.size());
    const Tensor sum = isAllReduce ? copyOf(out, own.size()) : nullptr;
    m_context.compute.finish();
    m_parts.clear();
    for (int other = 0; isAllReduce && other < m_ranks; ++other)
        if (other != m_rank)
            m_transport.send(m_rank, other, keyOf(kSum), sum);
    return true;
}

void TensorCollectives::sendStatistics(const TensorExchange &exchange)
{
    const std::int64_t rows = m_context.shape.statisticRows();
    const kernels::SoftmaxStatistics own(exchange.in.floats(), rows);
    const std::int64_t count = exchange.kind == Kind::Maxima ? rows : 2 * rows;
    Tensor message = m_context.memory.allocateMessage(count); // float in every precision
    m_context.compute.copy(message->data(), exchange.kind == Kind::Maxima ? own.maximum : own.sum, count);
    m_context.compute.finish();
    m_transport.broadcast(m_rank, keyOf(kStatistics), std::move(message));
}

bool TensorCollectives::combineStatistics(const TensorExchange &exchange)
{
    if (!m_transport.gather(m_rank, keyOf(kStatistics), m_parts))
        return false;
    m_addresses.clear();
    for (const Tensor &part : m_parts)
        m_addresses.push_back(part->data());
    const std::int64_t rows = m_context.shape.statisticRows();
    const kernels::SoftmaxStatistics all(exchange.out.floats(), rows);
    if (exchange.kind == Kind::Maxima)
        m_context.compute.combineMaxima(all.maximum, m_addresses, rows);
    else
        m_context.compute.combineSums(all, all.maximum, m_addresses);
    m_context.compute.finish();
    m_parts.clear();
    return true;
}

void TensorCollectives::addPiece(const Piece &piece, int copies)
{
    for (std::int64_t begin = piece.elements.begin; begin < piece.elements.end;) {
        if (m_chunks.empty() || m_chunks.back().copies != copies || m_chunks.back().floats == simulate::kTensorSumFloats)
            m_chunks.push_back({{}, 0, copies});
        Chunk &chunk = m_chunks.back();
        const std::int64_t count = std::min(piece.elements.end - begin, simulate::kTensorSumFloats - chunk.floats);
        chunk.pieces.push_back({piece.parameter, {begin, begin + count}});
        chunk.floats += count;
        begin += count;
    }
}

base::Result<> TensorCollectives::runSum(int round)
{
    if (round % 2 == 0) {
        sendChunk(round / 2);
        return {};
    }
    return addChunk(round / 2) ? base::Result<>() : base::Error::cancelled();
}

base::Bytes TensorCollectives::sumBytes() const
{
    std::int64_t floats = 0;
    for (const Chunk &chunk : m_chunks)
        floats += (chunk.copies - 1) * chunk.floats;
    return floats * static_cast<base::Bytes>(sizeof(float));
}

void TensorCollectives::sendChunk(int chunk)
{
    const Chunk &own = m_chunks[size(chunk)];
    const int first = m_rank / own.copies * own.copies;
    if (m_transport.isOrdered()) {
        std::vector<backend::Message> order;
        for (int from = first; from < first + own.copies; ++from)
            for (int to = first; to < first + own.copies; ++to)
                order.push_back({from, to, keyOf(kChunk, chunk), own.floats});
        m_transport.announce(m_rank, order);
    }
    Tensor message = m_context.memory.allocateMessage(own.floats);
    float *to = message->data();
    for (const Piece &piece : own.pieces) {
        m_context.compute.copy(to, parameters()[piece.parameter]->gradient.data() + piece.elements.begin,
                               piece.elements.size());
        to += piece.elements.size();
    }
    m_context.compute.finish();
    for (int other = first; other < first + own.copies; ++other)
        m_transport.send(m_rank, other, keyOf(kChunk, chunk), message);
}

bool TensorCollectives::addChunk(int chunk)
{
    const Chunk &own = m_chunks[size(chunk)];
    const int first = m_rank / own.copies * own.copies;
    for (int from = first; from < first + own.copies; ++from) {
        const Tensor message = m_transport.receive(from, m_rank, keyOf(kChunk, chunk));
        if (!message)
            return false;
        const float *numbers = message->data();
        for (const Piece &piece : own.pieces) {
            float *const gradient = parameters()[piece.parameter]->gradient.data() + piece.elements.begin;
            if (from == first)
                m_context.compute.copy(gradient, numbers, piece.elements.size());
            else
                m_context.compute.add(gradient, numbers, piece.elements.size());
            numbers += piece.elements.size();
        }
        m_context.compute.finish();
    }
    return true;
}

} // namespace stagelens::runtime
