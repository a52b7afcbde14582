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

} // namespace

base::Result<> KeyExchange::run(const TensorExchange &exchange, int round)
{
    const bool isGather = exchange.kind == TensorExchange::Kind::GatherKeys;
    bool isWhole = true;
    if (round == 0)
        isGather ? sendKeys(exchange) : sendGradients(exchange);
    else
        isWhole = isGather ? takeKeys(exchange) : addGradients(exchange);
    return isWhole ? base::Result<>() : base::Error::cancelled();
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

void KeyExchange::sendKeys(const TensorExchange &exchange)
{
    const kernels::AttentionShape shape = m_context.attention();
    const Tensor part = newPart();
    const Values rows = m_context.of(part);
    for (std::int64_t row = 0; row < m_context.shape.tokens(); ++row)
        m_context.compute.copy(rows + row * width(), exchange.in + (row * shape.qkvWidth() + shape.width()), width());
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
    const kernels::AttentionShape shape = m_context.attention();
    const std::int64_t tokens = m_context.shape.tokens();
    m_context.compute.sumParts(m_values, tokens * width());
    for (std::int64_t row = 0; row < tokens; ++row)
        m_context.compute.copy(exchange.out + (row * shape.qkvWidth() + shape.width()), m_values.front() + row * width(),
                               width());
    m_context.compute.finish();
    m_parts.clear();
    return true;
}

} // namespace stagelens::runtime
