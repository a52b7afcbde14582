#include "engine/runtime/layers/expert_exchange.h"

#include "engine/simulate/buffers.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace stagelens::runtime {

using backend::Tensor;

namespace {

/// Kind of the messages, in addition to those of passes and of other collectives; the slot is the number of the message.
constexpr std::uint8_t kExpertMessage = 249;
constexpr std::int64_t kMessageRows = simulate::kExpertRows;

std::int64_t messagesFor(std::int64_t rows)
{
    return std::max<std::int64_t>(1, (rows + kMessageRows - 1) / kMessageRows);
}

backend::MessageKey expertKey(std::int64_t message)
{
    return {kExpertMessage, 0, static_cast<std::int32_t>(message)};
}

} // namespace

ExpertExchange::ExpertExchange(const Context &context, int rank, backend::Transport &transport)
    : m_context(context), m_rank(rank), m_ranks(transport.ranks()), m_transport(transport)
{
    const operators::Block &block = context.shape.layer->recipe.block;
    m_experts = block.routing.experts / m_ranks;
    m_shape = {context.shape.tokens(), block.routing.experts, block.routing.topK};
}

base::Result<> ExpertExchange::run(const TensorExchange &exchange, int round)
{
    const bool isToExperts =
        exchange.kind == TensorExchange::Kind::SendRows || exchange.kind == TensorExchange::Kind::SendGradients;
    countOwn(exchange);
    if (round == 0) {
        isToExperts ? sendOwn(exchange) : sendArrived(exchange);
        return {};
    }
    if (exchange.kind == TensorExchange::Kind::SendRows)
        return takeRows(exchange);
    const bool isWhole = isToExperts ? takeGradients(exchange) : takeReturned(exchange);
    return isWhole ? base::Result<>() : base::Error::cancelled();
}

ExpertExchange::Message ExpertExchange::partsOf(const Tensor &tensor) const
{
    float *const numbers = tensor->data();
    return {reinterpret_cast<std::int32_t *>(numbers), numbers + m_experts, numbers + m_experts + kMessageRows};
}

void ExpertExchange::countOwn(const TensorExchange &exchange)
{
    const auto *const routes = reinterpret_cast<const std::int32_t *>(exchange.routes);
    std::vector<std::int64_t> &first = m_own;
    first.assign(size(m_shape.experts + 1), 0);
    for (std::int64_t slot = 0; slot < m_shape.rows(); ++slot)
        if (routes[m_shape.rows() + slot] >= 0) // not dropped
            ++first[size(routes[slot] + 1)];
    std::partial_sum(first.begin(), first.end(), first.begin());
}

std::int64_t ExpertExchange::firstOwn(int rank) const
{
    return m_own[size(rank * m_experts)];
}

void ExpertExchange::listArrivals(const Arrivals &arrivals, int rank)
{
    m_arrived.clear();
    for (std::int64_t row = 0; row < arrivals.rows(); ++row)
        if (arrivals.sources()[row] == rank)
            m_arrived.push_back(row);
}

template <class RowOf, class GateOf>
void ExpertExchange::send(const TensorExchange &exchange, int to, std::int64_t count, const RowOf &rowOf, const GateOf &gateOf)
{
    const std::int64_t floats = simulate::expertMessageFloats(m_experts, exchange.width);
    for (std::int64_t message = 0; message < messagesFor(count); ++message) {
        Tensor tensor = m_context.memory.allocateMessage(floats);
        const Message parts = partsOf(tensor);
        for (std::int64_t expert = 0; expert < m_experts; ++expert) {
            const std::int64_t of = to * m_experts + expert;
            parts.counts[expert] = static_cast<std::int32_t>(m_own[size(of + 1)] - m_own[size(of)]);
        }
        const std::int64_t first = message * kMessageRows;
        for (std::int64_t i = first; i < std::min(first + kMessageRows, count); ++i) {
            std::copy_n(exchange.in.floats() + rowOf(i) * exchange.width, exchange.width,
                        parts.rows + (i - first) * exchange.width);
            parts.gates[i - first] = exchange.gatesIn != nullptr ? exchange.gatesIn[gateOf(i)] : 0;
        }
        m_transport.send(m_rank, to, expertKey(message), std::move(tensor));
    }
}

template <class Place>
bool ExpertExchange::receive(const TensorExchange &exchange, int from, std::int64_t count, Tensor first, const Place &place)
{
    for (std::int64_t message = 0; message < messagesFor(count); ++message) {
        const Tensor tensor = message == 0 && first ? std::move(first) : m_transport.receive(from, m_rank, expertKey(message));
        if (!tensor)
            return false;
        const Message parts = partsOf(tensor);
        for (std::int64_t i = message * kMessageRows; i < std::min((message + 1) * kMessageRows, count); ++i)
            place(i, parts.gates[i % kMessageRows], parts.rows + i % kMessageRows * exchange.width);
    }
    return true;
}

void ExpertExchange::sendOwn(const TensorExchange &exchange)
{
    const auto *const slots = reinterpret_cast<const std::int32_t *>(exchange.routes) + 2 * m_shape.rows();
    for (int to = 0; to < m_ranks; ++to) {
        const std::int64_t first = firstOwn(to);
        send(
            exchange, to, ownRows(to), [&](std::int64_t i) { return first + i; },
            [&](std::int64_t i) { return slots[first + i]; });
    }
}

void ExpertExchange::sendArrived(const TensorExchange &exchange)
{
    const Arrivals arrivals(exchange.arrivals);
    for (int to = 0; to < m_ranks; ++to) {
        listArrivals(arrivals, to);
        const auto rowOf = [&](std::int64_t i) { return m_arrived[size(i)]; };
        send(exchange, to, std::ssize(m_arrived), rowOf, rowOf);
    }
}

/// Writes the tables of arrivals from the rows of each rank and expert, [ranks, experts].
void ExpertExchange::sortArrivals(Arrivals &arrivals, const std::vector<std::int32_t> &counts) const
{
    arrivals.setRows(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    std::int64_t row = 0;
    for (std::int64_t expert = 0; expert < m_experts; ++expert)
        for (int rank = 0; rank < m_ranks; ++rank)
            for (std::int32_t i = 0; i < counts[size(rank * m_experts + expert)]; ++i, ++row) {
                arrivals.experts()[row] = static_cast<std::int32_t>(expert);
                arrivals.sources()[row] = rank;
                arrivals.slotTable()[row] = static_cast<std::int32_t>(row);
            }
}

base::Result<> ExpertExchange::takeRows(const TensorExchange &exchange)
{
    std::vector<std::int32_t> counts;
    m_first.clear();
    for (int from = 0; from < m_ranks; ++from) {
        const Tensor first = m_first.emplace_back(m_transport.receive(from, m_rank, expertKey(0)));
        if (!first)
            return base::Error::cancelled();
        const std::int32_t *const own = partsOf(first).counts;
        counts.insert(counts.end(), own, own + m_experts);
    }
    const std::int64_t rows = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const std::int64_t planned = m_shape.tokens * m_context.shape.layer->recipe.block.expertRows;
    if (rows > planned)
        return base::Error::failed(fmt::format("the experts of rank {} of {} got {} rows, but have memory for {}; raise "
                                               "expert_headroom, or balance the experts with aux_loss",
                                               m_rank, m_ranks, rows, planned),
                                   "parallel.expert_headroom");
    Arrivals arrivals(exchange.arrivals);
    sortArrivals(arrivals, counts);
    for (int from = 0; from < m_ranks; ++from) {
        listArrivals(arrivals, from);
        const bool isWhole =
            receive(exchange, from, std::ssize(m_arrived), std::move(m_first[size(from)]),
                    [&](std::int64_t i, float gate, const float *row) {
                        std::copy_n(row, exchange.width, exchange.out.floats() + m_arrived[size(i)] * exchange.width);
                        exchange.gatesOut[m_arrived[size(i)]] = gate;
                    });
        if (!isWhole)
            return base::Error::cancelled();
    }
    return {};
}

bool ExpertExchange::takeGradients(const TensorExchange &exchange)
{
    const Arrivals arrivals(exchange.arrivals);
    for (int from = 0; from < m_ranks; ++from) {
        listArrivals(arrivals, from);
        const auto place = [&](std::int64_t i, float, const float *row) {
            std::copy_n(row, exchange.width, exchange.out.floats() + m_arrived[size(i)] * exchange.width);
        };
        if (!receive(exchange, from, std::ssize(m_arrived), nullptr, place))
            return false;
    }
    return true;
}

bool ExpertExchange::takeReturned(const TensorExchange &exchange)
{
    const auto *const slots = reinterpret_cast<const std::int32_t *>(exchange.routes) + 2 * m_shape.rows();
    for (int from = 0; from < m_ranks; ++from) {
        const std::int64_t first = firstOwn(from);
        const auto place = [&](std::int64_t i, float gate, const float *row) {
            std::copy_n(row, exchange.width, exchange.out.floats() + (first + i) * exchange.width);
            if (exchange.gatesOut != nullptr)
                exchange.gatesOut[slots[first + i]] = gate;
        };
        if (!receive(exchange, from, ownRows(from), nullptr, place))
            return false;
    }
    return true;
}

} // namespace stagelens::runtime
