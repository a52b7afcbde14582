#include "engine/runtime/layers/head_exchange.h"

namespace stagelens::runtime {

using backend::Tensor;

namespace {

/// Kind of the messages, in addition to those of passes and of other collectives.
constexpr backend::MessageKey kHeads{249, 0, 0};

} // namespace

base::Result<> HeadExchange::run(const TensorExchange &exchange, int round)
{
    const int own = m_context.contextRank;
    if (round == 0 && m_transport.isOrdered())
        m_transport.announce(own, messagesOf(exchange));
    for (int other = 0; other < m_transport.ranks(); ++other) {
        if (round == 0) {
            send(exchange, other);
        } else if (other != own) {
            const Tensor part = m_transport.receive(other, own, kHeads);
            if (!part)
                return base::Error::cancelled();
            place(exchange, other, m_context.of(part));
        }
    }
    return {};
}

std::vector<backend::Message> HeadExchange::messagesOf(const TensorExchange &exchange) const
{
    const int ranks = m_transport.ranks();
    const std::int64_t floats = m_context.shape.floats(m_context.shape.tokens() * (exchange.width / ranks));
    std::vector<backend::Message> all;
    for (int from = 0; from < ranks; ++from)
        for (int to = 0; to < ranks; ++to)
            if (from != to)
                all.push_back({from, to, kHeads, floats});
    return all;
}

/// Fused rows have the columns of queries, keys and values; outputs only the first.
std::array<HeadExchange::Columns, 3> HeadExchange::columnsOf(const TensorExchange &exchange, int rank) const
{
    const kernels::AttentionShape all = m_context.shape.fusedRows();
    const std::int64_t queries = all.width() / m_transport.ranks();
    const std::int64_t keys = exchange.width > all.width() ? all.kvWidth() / m_transport.ranks() : 0;
    return {{{rank * queries, queries, 0},
             {all.width() + rank * keys, keys, queries},
             {all.width() + all.kvWidth() + rank * keys, keys, queries + keys}}};
}

template <class Copy>
void HeadExchange::eachRun(int rank, const Copy &copy) const
{
    const Shape &shape = m_context.shape;
    shape.contextCut(rank).eachRun({0, shape.tokens()}, [&](std::int64_t row, std::int64_t position, std::int64_t rows) {
        copy(row, row / shape.sequence * shape.wholeSequence() + position, rows);
    });
}

/// Sends rank `to` its part: own tokens of its heads, or its tokens of own heads. Copies the part of this rank.
void HeadExchange::send(const TensorExchange &exchange, int to)
{
    const std::int64_t width = exchange.width / m_transport.ranks();
    Tensor part = m_context.memory.allocateMessage(m_context.shape.floats(m_context.shape.tokens() * width));
    const Values rows = m_context.of(part);
    if (exchange.kind == TensorExchange::Kind::TokensToHeads) {
        for (const Columns &each : columnsOf(exchange, to))
            m_context.compute.copyRows(rows + each.inHeads, width, exchange.in + each.first, exchange.width,
                                       m_context.shape.tokens(), each.width);
    } else {
        eachRun(to, [&](std::int64_t row, std::int64_t whole, std::int64_t count) {
            m_context.compute.copy(rows + row * width, exchange.in + whole * width, count * width);
        });
    }
    m_context.compute.finish();
    if (to == m_context.contextRank)
        place(exchange, to, rows);
    else
        m_transport.send(m_context.contextRank, to, kHeads, std::move(part));
}

void HeadExchange::place(const TensorExchange &exchange, int from, const Values &part)
{
    const std::int64_t width = exchange.width / m_transport.ranks();
    if (exchange.kind == TensorExchange::Kind::TokensToHeads) {
        eachRun(from, [&](std::int64_t row, std::int64_t whole, std::int64_t count) {
            m_context.compute.copy(exchange.out + whole * width, part + row * width, count * width);
        });
    } else {
        for (const Columns &each : columnsOf(exchange, from))
            m_context.compute.copyRows(exchange.out + each.first, exchange.width, part + each.inHeads, width,
                                       m_context.shape.tokens(), each.width);
    }
    m_context.compute.finish(); // before the part is released
}

} // namespace stagelens::runtime
