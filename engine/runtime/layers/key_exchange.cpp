#include "engine/runtime/layers/key_exchange.h"

namespace stagelens::runtime {

using backend::MessageKey;
using backend::Tensor;

namespace {

/// Kind of the messages, in addition to those of passes and of other collectives. The ranks of a context group send each other
/// nothing else.
constexpr std::uint8_t kMessageKind = 250;
constexpr MessageKey kKeys{kMessageKind, 0, 0};
constexpr MessageKey kGradients{kMessageKind, 1, 0};
constexpr MessageKey kRingKeys{kMessageKind, 2, 0};
constexpr MessageKey kRingGradients{kMessageKind, 3, 0};

} // namespace

base::Result<> KeyExchange::run(const TensorExchange &exchange, int round)
{
    if (round == 0 && m_transport.isOrdered())
        m_transport.announce(m_context.contextRank, messagesOf(exchange));
    bool isWhole = true;
    switch (exchange.kind) {
    case TensorExchange::Kind::GatherKeys:
        if (round == 0)
            sendKeys(exchange);
        else
            isWhole = takeKeys(exchange);
        break;
    case TensorExchange::Kind::ScatterKeys:
        if (round == 0)
            sendGradients(exchange);
        else
            isWhole = addGradients(exchange);
        break;
    case TensorExchange::Kind::RingKeys: isWhole = passKeys(exchange); break;
    case TensorExchange::Kind::RingGradients: isWhole = passGradients(exchange); break;
    default: break; // see TensorCollectives, HeadExchange, ChoiceExchange, DropExchange and ExpertExchange
    }
    return isWhole ? base::Result<>() : base::Error::cancelled();
}

std::vector<backend::Message> KeyExchange::messagesOf(const TensorExchange &exchange) const
{
    using Kind = TensorExchange::Kind;
    const int ranks = m_transport.ranks();
    const std::int64_t floats = m_context.shape.floats(m_context.shape.tokens() * width());
    std::vector<backend::Message> all;
    const auto amongAll = [&](const MessageKey &key, std::int64_t each) {
        for (int from = 0; from < ranks; ++from)
            for (int to = 0; to < ranks; ++to)
                if (from != to)
                    all.push_back({from, to, key, each});
        return all;
    };
    if (exchange.kind == Kind::GatherKeys || exchange.kind == Kind::ScatterKeys)
        return amongAll(exchange.kind == Kind::GatherKeys ? kKeys : kGradients, floats);
    // What a hop sends; the first one of gradients sends nothing.
    const bool isOfKeys = exchange.kind == Kind::RingKeys;
    if (isOfKeys ? exchange.hop + 1 < ranks : exchange.hop > 0 && exchange.hop < ranks)
        for (int from = 0; from < ranks; ++from)
            all.push_back({from, (from + 1) % ranks, isOfKeys ? kRingKeys : kRingGradients, floats});
    return all;
}

template <class Visit>
void KeyExchange::eachRun(int rank, const Visit &visit) const
{
    const Shape &shape = m_context.shape;
    const layout::ContextCut cut = shape.contextCut(rank);
    cut.eachRun({0, shape.tokens()}, [&](std::int64_t row, std::int64_t position, std::int64_t rows) {
        visit(row, row / shape.sequence * shape.wholeSequence() + position, rows);
    });
}

Tensor KeyExchange::newPart()
{
    return m_context.memory.allocateMessage(m_context.shape.floats(m_context.shape.tokens() * width()));
}

/// Returns a message with the keys and values of this rank's fused rows.
Tensor KeyExchange::ownKeys(const TensorExchange &exchange)
{
    const kernels::AttentionShape shape = m_context.shape.fusedRows();
    Tensor part = newPart();
    m_context.compute.copyRows(m_context.of(part), width(), exchange.in + shape.width(), shape.qkvWidth(),
                               m_context.shape.tokens(), width());
    return part;
}

void KeyExchange::sendKeys(const TensorExchange &exchange)
{
    const Tensor part = ownKeys(exchange);
    placeKeys(exchange, m_context.contextRank, part);
    for (int other = 0; other < m_transport.ranks(); ++other)
        if (other != m_context.contextRank)
            m_transport.send(m_context.contextRank, other, kKeys, part);
}

bool KeyExchange::takeKeys(const TensorExchange &exchange)
{
    for (int other = 0; other < m_transport.ranks(); ++other) {
        if (other == m_context.contextRank)
            continue;
        const Tensor part = m_transport.receive(other, m_context.contextRank, kKeys);
        if (!part)
            return false;
        placeKeys(exchange, other, part);
    }
    return true;
}

void KeyExchange::placeKeys(const TensorExchange &exchange, int rank, const Tensor &part)
{
    eachRun(rank, [&](std::int64_t row, std::int64_t place, std::int64_t rows) {
        m_context.compute.copy(exchange.out + place * width(), m_context.of(part) + row * width(), rows * width());
    });
    m_context.compute.finish(); // before the part is sent or released
}

void KeyExchange::sendGradients(const TensorExchange &exchange)
{
    for (int owner = 0; owner < m_transport.ranks(); ++owner) {
        Tensor part = newPart();
        eachRun(owner, [&](std::int64_t row, std::int64_t place, std::int64_t rows) {
            m_context.compute.copy(m_context.of(part) + row * width(), exchange.in + place * width(), rows * width());
        });
        m_context.compute.finish();
        if (owner == m_context.contextRank)
            m_own = std::move(part);
        else
            m_transport.send(m_context.contextRank, owner, kGradients, std::move(part));
    }
}

/// Adds the parts of all ranks, lower ranks first.
bool KeyExchange::addGradients(const TensorExchange &exchange)
{
    m_parts.assign(size(m_transport.ranks()), nullptr);
    m_values.clear();
    for (int from = 0; from < m_transport.ranks(); ++from) {
        Tensor &part = m_parts[size(from)];
        part = from == m_context.contextRank ? std::move(m_own) : m_transport.receive(from, m_context.contextRank, kGradients);
        if (!part)
            return false;
        m_values.push_back(m_context.of(part));
    }
    m_context.compute.sumParts(m_values, m_context.shape.tokens() * width());
    placeGradients(exchange, m_values.front());
    m_parts.clear();
    return true;
}

/// Copies gradients of this rank's keys to their columns of the fused rows.
void KeyExchange::placeGradients(const TensorExchange &exchange, const Values &rows)
{
    const kernels::AttentionShape shape = m_context.shape.fusedRows();
    m_context.compute.copyRows(exchange.out + shape.width(), shape.qkvWidth(), rows, width(), m_context.shape.tokens(),
                               width());
    m_context.compute.finish();
}

Tensor KeyExchange::fromPrevious(const MessageKey &key)
{
    const int ranks = m_transport.ranks();
    return m_transport.receive((m_context.contextRank + ranks - 1) % ranks, m_context.contextRank, key);
}

void KeyExchange::toNext(const MessageKey &key, Tensor part)
{
    m_transport.send(m_context.contextRank, (m_context.contextRank + 1) % m_transport.ranks(), key, std::move(part));
}

/// Sends the keys that attention is about to read, so that the message overlaps with it.
bool KeyExchange::passKeys(const TensorExchange &exchange)
{
    const Tensor part = exchange.hop == 0 ? ownKeys(exchange) : fromPrevious(kRingKeys);
    if (!part)
        return false;
    m_context.compute.finish();
    if (exchange.hop + 1 < m_transport.ranks())
        toNext(kRingKeys, part);
    m_context.compute.copy(exchange.out, m_context.of(part), m_context.shape.tokens() * width());
    m_context.compute.finish(); // before the part is released
    return true;
}

/// The sum for a rank's keys begins at the next rank and comes home after c - 1 messages; its own part is added there.
bool KeyExchange::passGradients(const TensorExchange &exchange)
{
    if (exchange.hop == 0) {
        placeGradients(exchange, exchange.in);
        return true;
    }
    const std::int64_t count = m_context.shape.tokens() * width();
    Tensor part = exchange.hop == 1 ? newPart() : fromPrevious(kRingGradients);
    if (!part)
        return false;
    const Values sum = m_context.of(part);
    if (exchange.hop == m_transport.ranks()) {
        const kernels::AttentionShape shape = m_context.shape.fusedRows();
        for (std::int64_t row = 0; row < m_context.shape.tokens(); ++row)
            m_context.compute.addScaled(exchange.out + (row * shape.qkvWidth() + shape.width()), sum + row * width(), 1.0F,
                                        width());
    } else if (exchange.hop == 1) {
        m_context.compute.copy(sum, exchange.in, count);
    } else {
        m_context.compute.addScaled(sum, exchange.in, 1.0F, count);
    }
    m_context.compute.finish();
    if (exchange.hop < m_transport.ranks())
        toNext(kRingGradients, std::move(part));
    return true;
}

} // namespace stagelens::runtime
