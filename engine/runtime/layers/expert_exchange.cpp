#include "engine/runtime/layers/expert_exchange.h"

#include "engine/runtime/layers/expert_kernels.h"
#include "engine/simulate/buffers.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <tuple>

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

/// Reads numbers of four bytes from the device.
void read(std::vector<std::int32_t> &to, const float *from, std::int64_t count, backend::Compute &compute)
{
    std::vector<float> numbers(size(count));
    compute.read(numbers, backend::ConstValues(from));
    to.resize(numbers.size());
    std::memcpy(to.data(), numbers.data(), numbers.size() * sizeof(float));
}

template <class Number>
void write(Values to, const std::vector<Number> &from, backend::Compute &compute)
{
    static_assert(sizeof(Number) == sizeof(float));
    compute.write(to, std::ssize(from), [&](std::span<float> block, std::int64_t first) {
        std::memcpy(block.data(), from.data() + first, block.size_bytes());
    });
}

/// Calls copy(i, row, rows) for each run of rows that follow one another, of the rows rowOf(i) from `first` to `end`.
template <class RowOf, class Copy>
void forEachRun(std::int64_t first, std::int64_t end, const RowOf &rowOf, const Copy &copy)
{
    for (std::int64_t begin = first; begin < end;) {
        std::int64_t next = begin + 1;
        while (next < end && rowOf(next) == rowOf(next - 1) + 1)
            ++next;
        copy(begin, rowOf(begin), next - begin);
        begin = next;
    }
}

} // namespace

ExpertExchange::ExpertExchange(const Context &context, int rank, backend::Transport &transport, const std::vector<int> &nodes)
    : m_context(context), m_rank(rank), m_ranks(transport.ranks()), m_transport(transport), m_nodes(nodes),
      m_forwarding(context, rank, transport, m_nodes)
{
    m_experts = context.shape.layer->recipe.block.routing.experts / m_ranks;
}

base::Result<> ExpertExchange::run(const TensorExchange &exchange, int round)
{
    m_shape = routingShapeOf(m_context.shape.layer->recipe.block, m_context.shape);
    if (m_nodes.forwards() && isToExperts(exchange.kind))
        return runForwarding(exchange, round);
    if (exchange.kind == TensorExchange::Kind::SendRows && round > 0)
        return round == 1 ? takeCounts(exchange) : takeRows(exchange);
    countOwn(exchange);
    const bool isKnown = exchange.kind != TensorExchange::Kind::SendRows;
    if (isKnown)
        readArrivals(exchange);
    if (round == 0) {
        announce(exchange, isKnown ? Known::AllRows : Known::FirstMessages);
        isToExperts(exchange.kind) ? sendOwn(exchange) : sendArrived(exchange);
        return {};
    }
    const bool isWhole = isToExperts(exchange.kind) ? takeGradients(exchange) : takeReturned(exchange);
    return isWhole ? base::Result<>() : base::Error::cancelled();
}

base::Result<> ExpertExchange::runForwarding(const TensorExchange &exchange, int round)
{
    if (round == 1)
        return m_forwarding.forward(exchange, planned());
    if (round == 2)
        return takeForwarded(exchange);
    countOwn(exchange);
    readGates(exchange.gatesIn, m_shape.rows());
    m_forwarding.sendOwn(exchange, m_routes, m_gates);
    return {};
}

base::Result<> ExpertExchange::takeForwarded(const TensorExchange &exchange)
{
    std::vector<std::int32_t> counts;
    if (!m_forwarding.receiveCounts(counts))
        return base::Error::cancelled();
    if (auto fits = checkRows(counts); !fits)
        return fits;
    m_gates.clear();
    if (exchange.kind == TensorExchange::Kind::SendRows) {
        sortArrivals(counts);
        write(exchange.arrivals, m_arrivals, m_context.compute);
        m_gates.assign(size(arrivals().rows()), 0);
    }
    if (!m_forwarding.place(exchange, counts, m_gates))
        return base::Error::cancelled();
    writeGates(exchange.gatesOut);
    return {};
}

std::int64_t ExpertExchange::planned() const
{
    return m_shape.tokens * m_context.shape.layer->recipe.block.expertRows;
}

void ExpertExchange::countOwn(const TensorExchange &exchange)
{
    read(m_routes, exchange.routes, 3 * m_shape.rows(), m_context.compute);
    std::vector<std::int64_t> &first = m_own;
    first.assign(size(m_shape.experts + 1), 0);
    for (std::int64_t slot = 0; slot < m_shape.rows(); ++slot)
        if (m_routes[size(m_shape.rows() + slot)] >= 0) // not dropped
            ++first[size(m_routes[size(slot)] + 1)];
    std::partial_sum(first.begin(), first.end(), first.begin());
}

void ExpertExchange::readArrivals(const TensorExchange &exchange)
{
    read(m_arrivals, exchange.arrivals, Arrivals::numbersFor(planned()), m_context.compute);
}

std::int64_t ExpertExchange::firstOwn(int rank) const
{
    return m_own[size(rank * m_experts)];
}

void ExpertExchange::listArrivals(int rank)
{
    m_listed.clear();
    for (std::int64_t row = 0; row < arrivals().rows(); ++row)
        if (arrivals().sources()[row] == rank)
            m_listed.push_back(row);
}

void ExpertExchange::readGates(ConstValues gates, std::int64_t count)
{
    m_gates.resize(gates ? size(count) : 0);
    if (!m_gates.empty())
        m_context.compute.read(m_gates, gates);
}

void ExpertExchange::writeGates(Values gates)
{
    if (!m_gates.empty())
        write(gates, m_gates, m_context.compute);
}

std::optional<kernels::Codec> ExpertExchange::codecOf(const TensorExchange &exchange) const
{
    return isToExperts(exchange.kind) ? m_context.shape.dispatched : std::nullopt;
}

void ExpertExchange::writeRows(const TensorExchange &exchange, float *message, std::int64_t first, std::int64_t row,
                               std::int64_t count)
{
    const std::int64_t width = exchange.width;
    const auto codec = codecOf(exchange);
    if (!codec)
        return m_context.compute.copy(m_context.values(message) + first * width, exchange.in + row * width, count * width);
    const std::int64_t floats = kernels::packedFloats(*codec, 1, width);
    for (std::int64_t i = 0; i < count; ++i)
        m_context.compute.pack(message + (first + i) * floats, exchange.in + (row + i) * width, 1, width, *codec);
}

void ExpertExchange::placeRows(const TensorExchange &exchange, float *message, std::int64_t first, std::int64_t row,
                               std::int64_t count)
{
    const std::int64_t width = exchange.width;
    const auto codec = codecOf(exchange);
    if (!codec)
        return m_context.compute.copy(exchange.out + row * width, m_context.values(message) + first * width, count * width);
    const std::int64_t floats = kernels::packedFloats(*codec, 1, width);
    for (std::int64_t i = 0; i < count; ++i)
        m_context.compute.unpack(exchange.out + (row + i) * width, message + (first + i) * floats, 1, width, *codec);
}

void ExpertExchange::announce(const TensorExchange &exchange, Known known)
{
    if (!m_transport.isOrdered())
        return;
    const std::int64_t floats = messageFloats(exchange);
    std::vector<backend::Message> order;
    const auto add = [&](int from, int to, std::int64_t rows) {
        const std::int64_t end = known == Known::FirstMessages ? 1 : messagesFor(rows);
        for (std::int64_t message = known == Known::RowsThatArrived ? 1 : 0; message < end; ++message)
            order.push_back({from, to, expertKey(message), floats});
    };
    for (int other = 0; other < m_ranks; ++other) {
        if (other == m_rank)
            continue;
        const std::int64_t own = ownRows(other);
        const std::int64_t arrived = known == Known::FirstMessages ? 0 : arrivals().rowsFrom(other);
        add(m_rank, other, isToExperts(exchange.kind) ? own : arrived);
        add(other, m_rank, isToExperts(exchange.kind) ? arrived : own);
    }
    std::ranges::sort(order, {}, [](const backend::Message &each) { return std::tuple(each.key, each.from, each.to); });
    m_transport.announce(m_rank, order);
}

std::int64_t ExpertExchange::messageFloats(const TensorExchange &exchange) const
{
    return simulate::expertMessageFloats(m_experts, exchange.width, m_context.shape.precision, codecOf(exchange));
}

template <class RowOf, class GateOf>
void ExpertExchange::send(const TensorExchange &exchange, int to, std::int64_t count, const RowOf &rowOf, const GateOf &gateOf)
{
    const std::int64_t floats = messageFloats(exchange);
    for (std::int64_t message = 0; message < messagesFor(count); ++message) {
        Tensor tensor = m_context.memory.allocateMessage(floats);
        m_head.assign(size(m_experts + kMessageRows), 0);
        for (std::int64_t expert = 0; expert < m_experts; ++expert) {
            const std::int64_t of = to * m_experts + expert;
            const auto rows = static_cast<std::int32_t>(m_own[size(of + 1)] - m_own[size(of)]);
            std::memcpy(&m_head[size(expert)], &rows, sizeof(rows));
        }
        const std::int64_t first = message * kMessageRows;
        const std::int64_t end = std::min(first + kMessageRows, count);
        for (std::int64_t i = first; i < end && !m_gates.empty(); ++i)
            m_head[size(m_experts + i - first)] = m_gates[size(gateOf(i))];
        write(tensor->data(), m_head, m_context.compute);
        forEachRun(first, end, rowOf, [&](std::int64_t i, std::int64_t row, std::int64_t length) {
            writeRows(exchange, tensor->data() + m_head.size(), i - first, row, length);
        });
        m_context.compute.finish();
        m_transport.send(m_rank, to, expertKey(message), std::move(tensor));
    }
}

template <class RowOf, class TakeGate>
bool ExpertExchange::receive(const TensorExchange &exchange, int from, std::int64_t count, Tensor first, const RowOf &rowOf,
                             const TakeGate &takeGate)
{
    for (std::int64_t message = 0; message < messagesFor(count); ++message) {
        const Tensor tensor = message == 0 && first ? std::move(first) : m_transport.receive(from, m_rank, expertKey(message));
        if (!tensor)
            return false;
        const std::int64_t begin = message * kMessageRows;
        const std::int64_t end = std::min(begin + kMessageRows, count);
        if (!m_gates.empty()) {
            m_head.resize(size(m_experts + kMessageRows));
            m_context.compute.read(m_head, backend::ConstValues(tensor->data()));
            for (std::int64_t i = begin; i < end; ++i)
                takeGate(i, m_head[size(m_experts + i - begin)]);
        }
        forEachRun(begin, end, rowOf, [&](std::int64_t i, std::int64_t row, std::int64_t length) {
            placeRows(exchange, tensor->data() + m_experts + kMessageRows, i - begin, row, length);
        });
        m_context.compute.finish(); // before the message is released
    }
    return true;
}

void ExpertExchange::sendOwn(const TensorExchange &exchange)
{
    readGates(exchange.gatesIn, m_shape.rows());
    for (int to = 0; to < m_ranks; ++to) {
        const std::int64_t first = firstOwn(to);
        send(
            exchange, to, ownRows(to), [&](std::int64_t i) { return first + i; },
            [&](std::int64_t i) { return slotTable()[first + i]; });
    }
}

void ExpertExchange::sendArrived(const TensorExchange &exchange)
{
    readGates(exchange.gatesIn, arrivals().rows());
    for (int to = 0; to < m_ranks; ++to) {
        listArrivals(to);
        const auto rowOf = [&](std::int64_t i) { return m_listed[size(i)]; };
        send(exchange, to, std::ssize(m_listed), rowOf, rowOf);
    }
}

void ExpertExchange::sortArrivals(const std::vector<std::int32_t> &counts)
{
    m_arrivals.assign(size(Arrivals::numbersFor(planned())), -1);
    arrivals().setRows(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    std::int64_t row = 0;
    for (std::int64_t expert = 0; expert < m_experts; ++expert)
        for (int rank = 0; rank < m_ranks; ++rank)
            for (std::int32_t i = 0; i < counts[size(rank * m_experts + expert)]; ++i, ++row) {
                arrivals().experts()[row] = static_cast<std::int32_t>(expert);
                arrivals().sources()[row] = rank;
                arrivals().slotTable()[row] = static_cast<std::int32_t>(row);
            }
}

base::Result<> ExpertExchange::checkRows(const std::vector<std::int32_t> &counts) const
{
    const std::int64_t rows = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (rows <= planned())
        return {};
    return base::Error::failed(fmt::format("the experts of rank {} of {} got {} rows, but have memory for {}; raise "
                                           "expert_headroom, or balance the experts with aux_loss",
                                           m_rank, m_ranks, rows, planned()),
                               "parallel.expert_headroom");
}

base::Result<> ExpertExchange::takeCounts(const TensorExchange &exchange)
{
    std::vector<std::int32_t> counts;
    std::vector<std::int32_t> own;
    m_first.clear();
    for (int from = 0; from < m_ranks; ++from) {
        const Tensor first = m_first.emplace_back(m_transport.receive(from, m_rank, expertKey(0)));
        if (!first)
            return base::Error::cancelled();
        read(own, first->data(), m_experts, m_context.compute);
        counts.insert(counts.end(), own.begin(), own.end());
    }
    if (auto fits = checkRows(counts); !fits)
        return fits;
    sortArrivals(counts);
    announce(exchange, Known::RowsThatArrived);
    write(exchange.arrivals, m_arrivals, m_context.compute);
    return {};
}

base::Result<> ExpertExchange::takeRows(const TensorExchange &exchange)
{
    m_gates.assign(size(arrivals().rows()), 0);
    for (int from = 0; from < m_ranks; ++from) {
        listArrivals(from);
        const bool isWhole = receive(
            exchange, from, std::ssize(m_listed), std::move(m_first[size(from)]),
            [&](std::int64_t i) { return m_listed[size(i)]; },
            [&](std::int64_t i, float gate) { m_gates[size(m_listed[size(i)])] = gate; });
        if (!isWhole)
            return base::Error::cancelled();
    }
    writeGates(exchange.gatesOut);
    return {};
}

bool ExpertExchange::takeGradients(const TensorExchange &exchange)
{
    m_gates.clear();
    for (int from = 0; from < m_ranks; ++from) {
        listArrivals(from);
        if (!receive(
                exchange, from, std::ssize(m_listed), nullptr, [&](std::int64_t i) { return m_listed[size(i)]; },
                [](std::int64_t, float) {}))
            return false;
    }
    return true;
}

bool ExpertExchange::takeReturned(const TensorExchange &exchange)
{
    readGates(exchange.gatesOut, m_shape.rows()); // those of dropped rows stay
    for (int from = 0; from < m_ranks; ++from) {
        const std::int64_t first = firstOwn(from);
        const bool isWhole = receive(
            exchange, from, ownRows(from), nullptr, [&](std::int64_t i) { return first + i; },
            [&](std::int64_t i, float gate) { m_gates[size(slotTable()[first + i])] = gate; });
        if (!isWhole)
            return false;
    }
    writeGates(exchange.gatesOut);
    return true;
}

} // namespace stagelens::runtime
