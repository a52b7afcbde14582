#include "engine/runtime/executor/momentum_exchange.h"

#include <algorithm>

namespace stagelens::runtime {

using operators::SummedPart;

namespace {

/// Message kinds in addition to those of compressed_exchange.cpp.
enum MomentumMessage : std::uint8_t { kMomentumPart = 245, kMomentumMean = 246 };

backend::Buffer zeroed(std::int64_t floats, simulate::MemoryCategory of, const Context &context)
{
    backend::Buffer buffer;
    if (floats > 0) {
        buffer = context.memory.pool().allocate(size(floats), category(of));
        context.compute.zero(buffer.data(), floats);
    }
    return buffer;
}

} // namespace

MomentumExchange::MomentumExchange(const RunPlan &plan, int rank, const operators::CompressedSizes &sizes, std::int64_t chunk,
                                   const Context &context, DeviceModel &model, backend::Transport &transport)
    : m_beta1(static_cast<float>(plan.experiment.training.optimizer.beta1)), m_rank(rank), m_ranks(transport.ranks()),
      m_floats(sizes.served), m_chunk(chunk), m_chunks(static_cast<int>((m_floats + chunk - 1) / chunk)), m_context(context),
      m_kernels(context.compute), m_model(model), m_transport(transport),
      m_messages(zeroed(m_ranks * m_floats, simulate::MemoryCategory::Communication, context)),
      m_arrived(zeroed(m_ranks * m_floats, simulate::MemoryCategory::Communication, context))
{}

void MomentumExchange::add(Parameter &parameter, float *residual)
{
    const operators::ServedCut cut(parameter.count(), m_ranks);
    Part &part = m_parts.emplace_back(&parameter, residual, zeroed(cut.each(), simulate::MemoryCategory::Optimizer, m_context));
    for (int rank = 0; rank < m_ranks; ++rank) {
        part.messages.push_back(m_messages.data() + rank * m_floats + m_used);
        part.arrived.push_back(m_arrived.data() + rank * m_floats + m_used);
    }
    m_used += cut.floats();
}

void MomentumExchange::addKept(std::vector<std::span<float>> &all)
{
    for (Part &part : m_parts)
        all.push_back(part.served.values());
}

void MomentumExchange::beginStep(bool isWarmUp)
{
    using Second = kernels::AdamW::Second;
    for (const auto &parameter : m_model.parameters()) { // tables stay with AdamW
        const bool isUpdated = isWarmUp || parameter->kind == operators::ParameterKind::Table;
        parameter->second = isUpdated ? Second::Updated : Second::Frozen;
    }
    for (Part &part : m_parts)
        part.parameter->second = isWarmUp ? Second::Updated : Second::FrozenWithMomentum;
}

operators::ServedPart MomentumExchange::served(Part &part) const
{
    Parameter &parameter = *part.parameter;
    return {{parameter.rows, parameter.columns, parameter.kind},
            parameter.gradient.data(),
            parameter.state.front().data(),
            part.residual,
            part.served.data()};
}

void MomentumExchange::encode()
{
    for (Part &part : m_parts)
        operators::sendMomentum(served(part), m_beta1, part.messages, m_kernels);
    m_context.compute.finish();
}

void MomentumExchange::serve()
{
    for (Part &part : m_parts)
        operators::serveMomentum(served(part), m_rank, part.arrived, part.messages[size(m_rank)], m_kernels);
    m_context.compute.finish();
}

void MomentumExchange::decode()
{
    for (Part &part : m_parts)
        operators::takeMomentum(served(part), part.messages, m_kernels);
    m_context.compute.finish();
}

bool MomentumExchange::run(int round)
{
    const int half = 2 * m_chunks;
    if (round == half) {
        serve();
        return true;
    }
    const bool isMean = round > half;
    const std::uint8_t kind = isMean ? kMomentumMean : kMomentumPart;
    const int chunk = (isMean ? round - half - 1 : round) / 2;
    if ((isMean ? round - half - 1 : round) % 2 == 1)
        return take(kind, chunk, isMean ? m_messages : m_arrived);
    announce(kind, chunk);
    for (int other = 0; other < m_ranks; ++other)
        if (other != m_rank)
            m_transport.send(m_rank, other, {kind, 0, chunk}, messageOf(m_messages, isMean ? m_rank : other, chunk));
    return true;
}

SummedPart MomentumExchange::partOf(int chunk) const
{
    return {chunk * m_chunk, std::min(m_floats, (chunk + 1) * m_chunk)};
}

backend::Tensor MomentumExchange::messageOf(const backend::Buffer &from, int rank, int chunk)
{
    const SummedPart part = partOf(chunk);
    backend::Tensor message = m_context.memory.allocateMessage(part.last - part.first);
    m_context.compute.copy(message->data(), from.data() + rank * m_floats + part.first, part.last - part.first);
    m_context.compute.finish();
    return message;
}

void MomentumExchange::announce(std::uint8_t kind, int chunk)
{
    if (!m_transport.isOrdered())
        return;
    const SummedPart part = partOf(chunk);
    std::vector<backend::Message> order;
    for (int from = 0; from < m_ranks; ++from)
        for (int to = 0; to < m_ranks; ++to)
            if (to != from)
                order.push_back({from, to, {kind, 0, chunk}, part.last - part.first});
    m_transport.announce(m_rank, order);
}

bool MomentumExchange::take(std::uint8_t kind, int chunk, backend::Buffer &to)
{
    const SummedPart part = partOf(chunk);
    const auto put = [&](int from, const float *numbers) {
        m_context.compute.copy(to.data() + from * m_floats + part.first, numbers, part.last - part.first);
        m_context.compute.finish();
    };
    if (&to == &m_arrived) // a rank is a server of its own numbers, too
        put(m_rank, m_messages.data() + m_rank * m_floats + part.first);
    for (int from = 0; from < m_ranks; ++from) {
        if (from == m_rank)
            continue;
        const backend::Tensor message = m_transport.receive(from, m_rank, {kind, 0, chunk});
        if (!message)
            return false;
        put(from, message->data());
    }
    return true;
}

} // namespace stagelens::runtime
