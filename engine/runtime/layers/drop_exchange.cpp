#include "engine/runtime/layers/drop_exchange.h"

#include "engine/runtime/layers/expert_kernels.h"

#include <algorithm>
#include <cstring>

namespace stagelens::runtime {

using backend::Tensor;

namespace {

/// Kind of the messages, in addition to those of passes and of other collectives.
constexpr backend::MessageKey kGates{245, 0, 0};

} // namespace

base::Result<> DropExchange::run(const TensorExchange &exchange, int round)
{
    if (round == 0 && m_transport.isOrdered())
        m_transport.announce(m_rank, messagesOf());
    if (round == 0) {
        send(exchange);
        return {};
    }
    if (!receive())
        return base::Error::cancelled();
    drop(exchange);
    return {};
}

std::vector<backend::Message> DropExchange::messagesOf() const
{
    std::vector<backend::Message> all;
    for (int from = 0; from < m_transport.ranks(); ++from)
        for (int to = 0; to < m_transport.ranks(); ++to)
            if (from != to)
                all.push_back({from, to, kGates, 2 * routingShapeOf(block(), m_context.shape).rows()});
    return all;
}

void DropExchange::send(const TensorExchange &exchange)
{
    const std::int64_t rows = routingShapeOf(block(), m_context.shape).rows();
    const auto *const gates = static_cast<const float *>(exchange.in.address());
    const auto *const choices = static_cast<const float *>(exchange.out.address()); // copied as they are
    const Tensor own = m_context.memory.allocateMessage(2 * rows);
    m_context.compute.copy({own->data(), base::Precision::Fp32}, {gates, base::Precision::Fp32}, rows);
    m_context.compute.copy({own->data() + rows, base::Precision::Fp32}, {choices, base::Precision::Fp32}, rows);
    m_context.compute.finish();
    m_part.resize(size(2 * rows));
    m_context.compute.read(m_part, backend::ConstValues(own->data(), base::Precision::Fp32));
    for (int other = 0; other < m_transport.ranks(); ++other)
        if (other != m_rank)
            m_transport.send(m_rank, other, kGates, own);
}

template <class Use>
void DropExchange::eachRun(int rank, const Use &use) const
{
    const Shape &shape = m_context.shape;
    const kernels::RoutingShape own = routingShapeOf(block(), shape);
    const int parts = m_transport.ranks() / shape.split.context; // of the tokens of a context rank
    const std::int64_t begin = rank % parts * own.tokens;
    shape.eachRun(rank / parts, {begin, begin + own.tokens},
                  [&](std::int64_t first, std::int64_t position, std::int64_t count) {
                      const std::int64_t place = first / shape.sequence * shape.wholeSequence() + position;
                      use((first - begin) * own.topK, place * own.topK, count * own.topK);
                  });
}

bool DropExchange::receive()
{
    const kernels::RoutingShape own = routingShapeOf(block(), m_context.shape);
    const std::int64_t all = m_context.shape.wholeTokens() * own.topK;
    m_gates.resize(size(all));
    m_routes.resize(size(3 * all));
    for (int each = 0; each < m_transport.ranks(); ++each) {
        const int from = (m_rank + each) % m_transport.ranks(); // the own part first: send() has read it
        if (from != m_rank) {
            const Tensor part = m_transport.receive(from, m_rank, kGates);
            if (!part)
                return false;
            m_context.compute.read(m_part, backend::ConstValues(part->data(), base::Precision::Fp32));
        }
        eachRun(from, [&](std::int64_t first, std::int64_t place, std::int64_t count) {
            std::copy_n(m_part.data() + first, count, m_gates.data() + place);
            std::memcpy(m_routes.data() + place, m_part.data() + own.rows() + first, size(count) * sizeof(float));
        });
    }
    return true;
}

void DropExchange::drop(const TensorExchange &exchange)
{
    const operators::Routing &routing = block().routing;
    const kernels::RoutingShape own = routingShapeOf(block(), m_context.shape);
    const kernels::RoutingShape all{m_context.shape.wholeTokens(), own.experts, own.topK};
    kernels::markDropped(
        m_routes.data(), m_gates.data(), all,
        {.capacity = capacityOf(routing, all.rows()), .dropsLast = routing.dropRule == model::DropRule::Position});
    m_own.resize(size(3 * own.rows()));
    eachRun(m_rank, [&](std::int64_t first, std::int64_t place, std::int64_t count) {
        std::copy_n(m_routes.data() + place, count, m_own.data() + first);
        std::copy_n(m_routes.data() + all.rows() + place, count, m_own.data() + own.rows() + first);
    });
    kernels::numberRows(m_own.data(), own);
    const Values routes{static_cast<float *>(exchange.out.address()), base::Precision::Fp32};
    m_context.compute.write(routes, std::ssize(m_own), [&](std::span<float> block, std::int64_t first) {
        std::memcpy(block.data(), m_own.data() + first, block.size_bytes());
    });
}

} // namespace stagelens::runtime
