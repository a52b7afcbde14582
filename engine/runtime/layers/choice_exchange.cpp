#include "engine/runtime/layers/choice_exchange.h"

#include "engine/runtime/layers/expert_kernels.h"

namespace stagelens::runtime {

using backend::Tensor;

namespace {

/// Kind of the messages, in addition to those of passes and of other collectives.
constexpr backend::MessageKey kChoices{246, 0, 0};

} // namespace

base::Result<> ChoiceExchange::run(const TensorExchange &exchange, int round)
{
    if (round == 0 && m_transport.isOrdered())
        m_transport.announce(m_rank, messagesOf(exchange));
    if (round == 0) {
        send(exchange);
        return {};
    }
    return sum(exchange) ? base::Result<>() : base::Error::cancelled();
}

std::vector<backend::Message> ChoiceExchange::messagesOf(const TensorExchange &exchange) const
{
    std::vector<backend::Message> all;
    for (int from = 0; from < m_transport.ranks(); ++from)
        for (int to = 0; to < m_transport.ranks(); ++to)
            if (from != to)
                all.push_back({from, to, kChoices, exchange.width});
    return all;
}

void ChoiceExchange::addOwn(const TensorExchange &exchange, float *excess) const
{
    m_context.compute.addExcess(excess, static_cast<const std::int32_t *>(exchange.in.address()),
                                routingShapeOf(m_context.shape.layer->recipe.block, m_context.shape));
}

void ChoiceExchange::send(const TensorExchange &exchange)
{
    const Tensor own = m_context.memory.allocateMessage(exchange.width);
    m_context.compute.zero({own->data(), base::Precision::Fp32}, exchange.width);
    addOwn(exchange, own->data());
    m_context.compute.finish();
    for (int other = 0; other < m_transport.ranks(); ++other)
        if (other != m_rank)
            m_transport.send(m_rank, other, kChoices, own);
}

bool ChoiceExchange::sum(const TensorExchange &exchange)
{
    auto *const sums = static_cast<float *>(exchange.out.address());
    m_context.compute.zero({sums, base::Precision::Fp32}, exchange.width);
    for (int from = 0; from < m_transport.ranks(); ++from) {
        if (from == m_rank) {
            addOwn(exchange, sums);
            continue;
        }
        const Tensor part = m_transport.receive(from, m_rank, kChoices);
        if (!part)
            return false;
        m_context.compute.add(sums, part->data(), exchange.width);
        m_context.compute.finish(); // before the message is released
    }
    return true;
}

} // namespace stagelens::runtime
