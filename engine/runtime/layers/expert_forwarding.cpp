#include "engine/runtime/layers/expert_forwarding.h"

#include "engine/runtime/layers/expert_kernels.h"
#include "engine/simulate/buffers.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace stagelens::runtime {

using backend::Tensor;

namespace {

/// Kind of the messages. Slot 0: to a node; 1 + r: tokens of rank r inside a node. The last is the number of the message.
constexpr std::uint8_t kForwarded = 244;
constexpr std::int64_t kForwardedTokens = simulate::kExpertRows; ///< of a message

backend::MessageKey forwardedKey(std::uint16_t slot, std::int64_t message)
{
    return {kForwarded, slot, static_cast<std::int32_t>(message)};
}

std::int64_t forwardedMessages(std::int64_t tokens)
{
    return std::max<std::int64_t>(1, (tokens + kForwardedTokens - 1) / kForwardedTokens);
}

} // namespace

ExpertForwarding::ExpertForwarding(const Context &context, int rank, backend::Transport &transport, const ExpertNodes &nodes)
    : m_context(context), m_rank(rank), m_transport(transport), m_nodes(nodes)
{
    const operators::Routing &routing = context.shape.layer->recipe.block.routing;
    m_experts = routing.experts / transport.ranks();
    m_topK = routing.topK;
}

std::int64_t ExpertForwarding::gatesAt() const
{
    return expertsAt() + kForwardedTokens * m_topK;
}

std::int64_t ExpertForwarding::rowsAt() const
{
    return gatesAt() + kForwardedTokens * m_topK;
}

std::int64_t ExpertForwarding::rowFloats(std::int64_t width) const
{
    const Shape &shape = m_context.shape;
    return shape.dispatched ? kernels::packedFloats(*shape.dispatched, 1, width) : shape.floats(width);
}

std::int32_t ExpertForwarding::number(std::int64_t at) const
{
    std::int32_t read = 0;
    std::memcpy(&read, &m_head[size(at)], sizeof(read));
    return read;
}

template <class ChoiceOf, class WriteRow>
void ExpertForwarding::send(int to, std::uint16_t slot, std::int64_t count, std::int64_t width, const ChoiceOf &choiceOf,
                            const WriteRow &writeRow)
{
    const Shape &shape = m_context.shape;
    const std::int64_t floats = simulate::forwardedMessageFloats(m_experts, m_topK, width, shape.precision, shape.dispatched);
    const auto put = [this](std::int64_t at, std::int64_t value) {
        const auto written = static_cast<std::int32_t>(value);
        std::memcpy(&m_head[size(at)], &written, sizeof(written));
    };
    std::vector<std::int32_t> counts(size(m_experts)); // rows of the receiver's experts
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t j = 0; j < m_topK; ++j)
            if (const std::int64_t expert = choiceOf(i, j).first; expert >= 0 && expert / m_experts == to)
                ++counts[size(expert % m_experts)];
    for (std::int64_t message = 0; message < forwardedMessages(count); ++message) {
        const std::int64_t first = message * kForwardedTokens;
        const std::int64_t end = std::min(first + kForwardedTokens, count);
        m_head.assign(size(rowsAt()), 0);
        put(0, count);
        for (std::int64_t expert = 0; expert < m_experts; ++expert)
            put(1 + expert, counts[size(expert)]);
        for (std::int64_t at = 0; at < (end - first) * m_topK; ++at) {
            const auto [expert, gate] = choiceOf(first + at / m_topK, at % m_topK);
            put(expertsAt() + at, expert);
            m_head[size(gatesAt() + at)] = gate;
        }
        Tensor tensor = m_context.memory.allocateMessage(floats);
        m_context.compute.write(
            {tensor->data(), base::Precision::Fp32}, rowsAt(),
            [this](std::span<float> block, std::int64_t at) { std::copy_n(m_head.data() + at, block.size(), block.data()); });
        for (std::int64_t i = first; i < end; ++i)
            writeRow(i, tensor->data() + rowsAt() + (i - first) * rowFloats(width));
        m_context.compute.finish();
        m_transport.send(m_rank, to, forwardedKey(slot, message), std::move(tensor));
    }
}

void ExpertForwarding::sendOwn(const TensorExchange &exchange, const std::vector<std::int32_t> &routes,
                               const std::vector<float> &gates)
{
    const std::int64_t k = m_topK;
    const kernels::RoutingShape shape = routingShapeOf(m_context.shape.layer->recipe.block, m_context.shape);
    const std::int32_t *const rows = routes.data() + shape.rows();
    for (int node = 0; node < m_nodes.nodes(); ++node) {
        const auto isThere = [&](std::int64_t expert) { return m_nodes.nodeOf(static_cast<int>(expert / m_experts)) == node; };
        const std::vector<std::int32_t> tokens = tokensWith(routes.data(), shape, isThere);
        const auto choiceOf = [&](std::int64_t i, std::int64_t j) {
            const std::size_t slot = size(tokens[size(i)] * k + j);
            const bool goes = rows[slot] >= 0 && isThere(routes[slot]);
            return std::pair(goes ? routes[slot] : -1, gates.empty() || !goes ? 0.0F : gates[slot]);
        };
        const auto writeRow = [&](std::int64_t i, float *to) {
            const std::int32_t *row = rows + tokens[size(i)] * k; // all rows of a token are equal
            while (*row < 0)
                ++row;
            const Values from = exchange.in + *row * exchange.width;
            if (m_context.shape.dispatched)
                m_context.compute.pack(to, from, 1, exchange.width, *m_context.shape.dispatched);
            else
                m_context.compute.copy(m_context.values(to), from, exchange.width);
        };
        send(m_nodes.forwarder(node, m_rank), 0, std::ssize(tokens), exchange.width, choiceOf, writeRow);
    }
}

std::int64_t ExpertForwarding::readHead(const Tensor &message)
{
    m_head.resize(size(rowsAt()));
    m_context.compute.read(m_head, backend::ConstValues(message->data(), base::Precision::Fp32));
    return number(0);
}

bool ExpertForwarding::receive(int source, Arrived &arrived)
{
    arrived = {};
    for (std::int64_t message = 0; message < forwardedMessages(arrived.tokens); ++message) {
        const Tensor &tensor = arrived.messages.emplace_back(m_transport.receive(source, m_rank, forwardedKey(0, message)));
        if (!tensor)
            return false;
        arrived.tokens = readHead(tensor);
        const std::int64_t count = std::min(kForwardedTokens, arrived.tokens - message * kForwardedTokens) * m_topK;
        for (std::int64_t at = 0; at < count; ++at) {
            arrived.experts.push_back(number(expertsAt() + at));
            arrived.gates.push_back(m_head[size(gatesAt() + at)]);
        }
    }
    return true;
}

base::Result<> ExpertForwarding::forward(const TensorExchange &exchange, std::int64_t planned)
{
    const std::int64_t k = m_topK;
    std::int64_t forwarded = 0;
    for (const int source : m_nodes.sourcesOf(m_rank)) {
        Arrived arrived;
        if (!receive(source, arrived))
            return base::Error::cancelled();
        for (const int to : m_nodes.ranksOf(m_nodes.nodeOf(m_rank))) {
            const auto isThere = [&](std::int64_t expert) { return expert >= 0 && expert / m_experts == to; };
            std::vector<std::int64_t> tokens;
            for (std::int64_t token = 0; token < arrived.tokens; ++token)
                if (std::any_of(arrived.experts.begin() + token * k, arrived.experts.begin() + (token + 1) * k, isThere))
                    tokens.push_back(token);
            forwarded += std::ssize(tokens);
            if (forwarded > planned)
                return base::Error::failed(fmt::format("rank {} of {} expert ranks forwards {} tokens, but has memory for {}; "
                                                       "raise expert_headroom, or balance the experts with aux_loss",
                                                       m_rank, m_transport.ranks(), forwarded, planned),
                                           "parallel.expert_headroom");
            const auto choiceOf = [&](std::int64_t i, std::int64_t j) {
                const std::size_t at = size(tokens[size(i)] * k + j);
                const bool goes = isThere(arrived.experts[at]);
                return std::pair(goes ? arrived.experts[at] : -1, goes ? arrived.gates[at] : 0.0F);
            };
            const std::int64_t floats = rowFloats(exchange.width);
            const auto writeRow = [&](std::int64_t i, float *row) {
                const std::int64_t token = tokens[size(i)];
                const float *const from =
                    arrived.messages[size(token / kForwardedTokens)]->data() + rowsAt() + token % kForwardedTokens * floats;
                m_context.compute.copy({row, base::Precision::Fp32}, {from, base::Precision::Fp32}, floats);
            };
            send(to, static_cast<std::uint16_t>(1 + source), std::ssize(tokens), exchange.width, choiceOf, writeRow);
        }
    }
    return {};
}

bool ExpertForwarding::receiveCounts(std::vector<std::int32_t> &counts)
{
    counts.clear();
    m_first.clear();
    for (int source = 0; source < m_transport.ranks(); ++source) {
        const int from = m_nodes.forwarder(m_nodes.nodeOf(m_rank), source);
        const Tensor &first =
            m_first.emplace_back(m_transport.receive(from, m_rank, forwardedKey(static_cast<std::uint16_t>(1 + source), 0)));
        if (!first)
            return false;
        readHead(first);
        for (std::int64_t expert = 0; expert < m_experts; ++expert)
            counts.push_back(number(1 + expert));
    }
    return true;
}

bool ExpertForwarding::place(const TensorExchange &exchange, const std::vector<std::int32_t> &counts, std::vector<float> &gates)
{
    std::vector<std::int64_t> next(counts.size()); // row of each rank and expert
    std::int64_t rows = 0;
    for (std::int64_t expert = 0; expert < m_experts; ++expert)
        for (std::int64_t source = 0; source < m_transport.ranks(); ++source) {
            next[size(source * m_experts + expert)] = rows;
            rows += counts[size(source * m_experts + expert)];
        }
    const std::int64_t width = exchange.width;
    for (int source = 0; source < m_transport.ranks(); ++source) {
        const int from = m_nodes.forwarder(m_nodes.nodeOf(m_rank), source);
        std::int64_t tokens = 0;
        for (std::int64_t message = 0; message < forwardedMessages(tokens); ++message) {
            const Tensor tensor =
                message == 0 ? std::move(m_first[size(source)])
                             : m_transport.receive(from, m_rank, forwardedKey(static_cast<std::uint16_t>(1 + source), message));
            if (!tensor)
                return false;
            tokens = readHead(tensor);
            const std::int64_t choices = std::min(kForwardedTokens, tokens - message * kForwardedTokens) * m_topK;
            for (std::int64_t at = 0; at < choices; ++at) {
                const std::int32_t expert = number(expertsAt() + at);
                if (expert < 0)
                    continue;
                const std::int64_t row = next[size(source * m_experts + expert % m_experts)]++;
                float *const data = tensor->data() + rowsAt() + at / m_topK * rowFloats(width);
                if (m_context.shape.dispatched)
                    m_context.compute.unpack(exchange.out + row * width, data, 1, width, *m_context.shape.dispatched);
                else
                    m_context.compute.copy(exchange.out + row * width, m_context.values(data), width);
                if (!gates.empty())
                    gates[size(row)] = m_head[size(gatesAt() + at)];
            }
            m_context.compute.finish(); // before the message is released
        }
    }
    return true;
}

} // namespace stagelens::runtime
