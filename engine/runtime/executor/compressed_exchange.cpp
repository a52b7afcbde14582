#include "engine/runtime/executor/compressed_exchange.h"

#include <algorithm>

namespace stagelens::runtime {

using operators::Compression;
using operators::SummedPart;

namespace {

/// Message kinds in addition to those of replica_exchange.cpp.
enum CompressedMessage : std::uint8_t { kCompressedPart = 247, kCompressedSum = 248 };
constexpr int kGathered = 2;
constexpr int kFirstWhole = 3;

backend::MessageKey keyOf(std::uint8_t kind, int message, std::int64_t chunk)
{
    return {kind, static_cast<std::uint16_t>(message), static_cast<std::int32_t>(chunk)};
}

} // namespace

CompressedExchange::CompressedExchange(const RunPlan &plan, int share, const Context &context, DeviceModel &model,
                                       backend::Transport &transport)
    : m_choice(plan.experiment.training.compression),
      m_after(operators::uncompressedSteps(plan.experiment.training.compression, plan.experiment.training.compressionAfter,
                                           plan.experiment.training.steps)),
      m_rank(share), m_ranks(transport.ranks()), m_context(context), m_kernels(context.compute), m_model(model),
      m_transport(transport)
{
    if (m_ranks == 1 || !m_choice.isOn())
        return;
    m_method = operators::findCompression(m_choice.name);
    std::vector<operators::PartShape> parts;
    for (const auto &parameter : model.parameters())
        parts.push_back({parameter->rows, parameter->columns, parameter->kind});
    m_sizes = operators::compressedSizes(m_choice, parts, m_ranks);
    m_chunk = std::max<std::int64_t>(1, operators::compressedChunk(m_sizes, m_ranks));
    if (m_method->exchange == Compression::Exchange::Serves)
        m_momentum.emplace(plan, m_rank, m_sizes, m_chunk, context, model, transport);
    allocate(plan.experiment.training.seed);
    planSteps();
}

void CompressedExchange::allocate(std::uint64_t seed)
{
    using simulate::MemoryCategory;
    const auto taken = [this](std::int64_t floats, MemoryCategory of) {
        backend::Buffer buffer;
        if (floats > 0) {
            buffer = m_context.memory.pool().allocate(size(floats), category(of));
            m_context.compute.zero(buffer.data(), floats);
        }
        return buffer;
    };
    for (std::size_t i = 0; i < m_sums.size(); ++i)
        m_sums[i] = taken(m_sizes.sums[i], MemoryCategory::Communication);
    m_gathered = taken(m_ranks * m_sizes.gathered, MemoryCategory::Communication);
    std::array<std::int64_t, 2> sums{m_sizes.exact, 0};
    std::int64_t gathered = 0;
    for (std::size_t i = 0; i < m_sizes.isCompressed.size(); ++i) {
        if (!m_sizes.isCompressed[i])
            continue;
        Parameter &parameter = *m_model.parameters()[i];
        const operators::PartShape shape{parameter.rows, parameter.columns, parameter.kind};
        Compressed &each = m_compressed.emplace_back();
        each.parameter = &parameter;
        each.residual = taken(parameter.count(), MemoryCategory::Optimizer);
        if (m_momentum) {
            m_momentum->add(parameter, each.residual.data());
            continue;
        }
        if (m_method->stateFloats != nullptr) {
            const std::int64_t floats = m_method->stateFloats(m_choice, shape);
            each.state = taken(floats, MemoryCategory::Optimizer);
            std::vector<float> state(size(floats));
            m_method->begin(m_choice, state, seed, parameter.index);
            m_context.compute.write(each.state.data(), floats, [&](std::span<float> block, std::int64_t first) {
                std::copy_n(state.begin() + first, block.size(), block.begin());
            });
        }
        if (m_method->exchange == Compression::Exchange::Sums) {
            for (int message = 0; message < m_method->messages; ++message) {
                each.messages.push_back(m_sums[size(message)].data() + sums[size(message)]);
                sums[size(message)] += m_method->floats(m_choice, shape, message);
            }
            continue;
        }
        for (int rank = 0; rank < m_ranks; ++rank)
            each.messages.push_back(m_gathered.data() + rank * m_sizes.gathered + gathered);
        gathered += m_method->floats(m_choice, shape, 0);
    }
}

std::vector<std::span<float>> CompressedExchange::kept()
{
    std::vector<std::span<float>> all;
    for (Compressed &each : m_compressed) {
        all.push_back(each.residual.values());
        all.push_back(each.state.values());
    }
    if (m_momentum)
        m_momentum->addKept(all);
    return all;
}

void CompressedExchange::planSteps()
{
    using Kind = Step::Kind;
    for (int message = 0; message < static_cast<int>(m_sums.size()); ++message) {
        const std::int64_t floats = m_sizes.sums[size(message)];
        if (message == 0 || floats > 0)
            m_steps.push_back({Kind::Encode, message});
        addSum(m_steps, message, floats);
    }
    for (std::int64_t chunk = 0; chunk * m_chunk < m_sizes.gathered; ++chunk)
        for (const Kind kind : {Kind::SendAll, Kind::TakeAll})
            m_steps.push_back({kind, kGathered, chunk});
    for (int round = 0; m_momentum && round < m_momentum->rounds(); ++round)
        m_steps.push_back({Kind::Momentum, 0, round});
    m_steps.push_back({Kind::Decode});
    if (m_after == 0)
        return;
    m_exactSteps.push_back({Kind::Encode, 0});
    addSum(m_exactSteps, 0, m_sizes.exact);
    for (std::size_t i = 0; i < m_compressed.size(); ++i)
        addSum(m_exactSteps, kFirstWhole + static_cast<int>(i), m_compressed[i].parameter->count());
    m_exactSteps.push_back({Kind::Decode});
}

void CompressedExchange::addSum(std::vector<Step> &steps, int message, std::int64_t floats) const
{
    using Kind = Step::Kind;
    const std::int64_t longest = operators::summedPart(floats, m_ranks, 0).last;
    for (std::int64_t chunk = 0; chunk * m_chunk < longest; ++chunk)
        for (const Kind kind : {Kind::SendParts, Kind::AddParts, Kind::TakeSums})
            steps.push_back({kind, message, chunk});
}

float *CompressedExchange::dataOf(int message)
{
    return message < kFirstWhole ? m_sums[size(message)].data()
                                 : m_compressed[size(message - kFirstWhole)].parameter->gradient.data();
}

std::int64_t CompressedExchange::floatsOf(int message) const
{
    if (message >= kFirstWhole)
        return m_compressed[size(message - kFirstWhole)].parameter->count();
    return m_isExact ? m_sizes.exact : m_sizes.sums[size(message)];
}

base::Result<> CompressedExchange::run(int round)
{
    const Step &step = steps()[size(round)];
    bool isWhole = true;
    switch (step.kind) {
    case Step::Kind::Encode: encode(step.message); break;
    case Step::Kind::SendParts: sendParts(step); break;
    case Step::Kind::AddParts: isWhole = addParts(step); break;
    case Step::Kind::TakeSums: isWhole = takeSums(step); break;
    case Step::Kind::SendAll: sendAll(step); break;
    case Step::Kind::TakeAll: isWhole = takeAll(step); break;
    case Step::Kind::Momentum: isWhole = m_momentum->run(static_cast<int>(step.chunk)); break;
    case Step::Kind::Decode: decode(); break;
    }
    return isWhole ? base::Result<>() : base::Error::cancelled();
}

base::Bytes CompressedExchange::bytesSent() const
{
    std::int64_t floats = m_isExact ? 0 : m_sizes.gathered * (m_ranks - 1) + (m_momentum ? m_momentum->floatsSent() : 0);
    const auto addSent = [&](std::int64_t sum) {
        const SummedPart own = operators::summedPart(sum, m_ranks, m_rank);
        floats += sum - (own.last - own.first) + (own.last - own.first) * (m_ranks - 1);
    };
    addSent(floatsOf(0));
    if (!m_isExact)
        addSent(floatsOf(1));
    for (std::size_t i = 0; m_isExact && i < m_compressed.size(); ++i)
        addSent(m_compressed[i].parameter->count());
    return floats * static_cast<base::Bytes>(sizeof(float));
}

operators::CompressedPart CompressedExchange::partOf(Compressed &each) const
{
    Parameter &parameter = *each.parameter;
    return {{parameter.rows, parameter.columns, parameter.kind},
            parameter.gradient.data(),
            each.residual.data(),
            each.state.data()};
}

template <class Visit>
void CompressedExchange::eachExact(const Visit &visit)
{
    float *at = m_sums[0].data();
    for (std::size_t i = 0; i < m_sizes.isCompressed.size(); ++i) {
        if (m_sizes.isCompressed[i])
            continue;
        visit(*m_model.parameters()[i], at);
        at += m_model.parameters()[i]->count();
    }
}

void CompressedExchange::encode(int message)
{
    if (message == 0)
        eachExact([this](Parameter &parameter, float *to) {
            m_context.compute.copy(to, parameter.gradient.data(), parameter.count());
        });
    m_context.compute.finish();
    if (m_isExact)
        return;
    if (m_momentum)
        return m_momentum->encode();
    for (Compressed &each : m_compressed) {
        const operators::CompressedPart part = partOf(each);
        if (message == 0)
            operators::addToResidual(part, m_kernels);
        m_method->encode(m_choice, part, each.messages, m_method->exchange == Compression::Exchange::Gathers ? m_rank : message,
                         m_kernels);
    }
}

void CompressedExchange::decode()
{
    eachExact([this](Parameter &parameter, const float *from) {
        m_context.compute.copy(parameter.gradient.data(), from, parameter.count());
    });
    m_context.compute.finish();
    if (m_isExact)
        return;
    if (m_momentum)
        return m_momentum->decode();
    for (Compressed &each : m_compressed)
        m_method->decode(m_choice, partOf(each), each.messages, m_ranks, m_kernels);
    m_context.compute.finish();
}

SummedPart CompressedExchange::chunkOf(const Step &step, int rank) const
{
    const SummedPart part = operators::summedPart(floatsOf(step.message), m_ranks, rank);
    const std::int64_t first = std::min(part.last, part.first + step.chunk * m_chunk);
    return {first, std::min(part.last, first + m_chunk)};
}

backend::Tensor CompressedExchange::messageOf(const float *from, const SummedPart &part)
{
    backend::Tensor message = m_context.memory.allocateMessage(part.last - part.first);
    m_context.compute.copy(message->data(), from + part.first, part.last - part.first);
    m_context.compute.finish();
    return message;
}

void CompressedExchange::announce(std::uint8_t kind, const Step &step, ToWhom toWhom)
{
    if (!m_transport.isOrdered())
        return;
    std::vector<backend::Message> order;
    for (int owner = 0; owner < m_ranks; ++owner) {
        const SummedPart part = step.message == kGathered ? gatheredChunk(step) : chunkOf(step, owner);
        for (int other = 0; other < m_ranks; ++other)
            if (other != owner && part.last > part.first)
                order.push_back({toWhom == ToWhom::Owner ? other : owner, toWhom == ToWhom::Owner ? owner : other,
                                 keyOf(kind, step.message, step.chunk), part.last - part.first});
    }
    m_transport.announce(m_rank, order);
}

void CompressedExchange::sendParts(const Step &step)
{
    announce(kCompressedPart, step, ToWhom::Owner);
    for (int owner = 0; owner < m_ranks; ++owner)
        if (const SummedPart part = chunkOf(step, owner); part.last > part.first)
            m_transport.send(m_rank, owner, keyOf(kCompressedPart, step.message, step.chunk),
                             messageOf(dataOf(step.message), part));
}

bool CompressedExchange::addParts(const Step &step)
{
    announce(kCompressedSum, step, ToWhom::Others);
    const SummedPart own = chunkOf(step, m_rank);
    if (own.last == own.first)
        return true;
    const backend::Tensor sum =
        m_transport.reduce(m_rank, keyOf(kCompressedPart, step.message, step.chunk), m_context.compute, base::Precision::Fp32);
    if (!sum)
        return false;
    m_context.compute.copy(dataOf(step.message) + own.first, sum->data(), own.last - own.first);
    m_context.compute.finish();
    for (int other = 0; other < m_ranks; ++other)
        if (other != m_rank)
            m_transport.send(m_rank, other, keyOf(kCompressedSum, step.message, step.chunk), sum);
    return true;
}

bool CompressedExchange::takeSums(const Step &step)
{
    for (int owner = 0; owner < m_ranks; ++owner) {
        const SummedPart part = chunkOf(step, owner);
        if (owner == m_rank || part.last == part.first)
            continue;
        const backend::Tensor sum = m_transport.receive(owner, m_rank, keyOf(kCompressedSum, step.message, step.chunk));
        if (!sum)
            return false;
        m_context.compute.copy(dataOf(step.message) + part.first, sum->data(), part.last - part.first);
        m_context.compute.finish();
    }
    return true;
}

SummedPart CompressedExchange::gatheredChunk(const Step &step) const
{
    return {step.chunk * m_chunk, std::min(m_sizes.gathered, (step.chunk + 1) * m_chunk)};
}

void CompressedExchange::sendAll(const Step &step)
{
    announce(kCompressedSum, step, ToWhom::Others);
    const backend::Tensor message = messageOf(m_gathered.data() + m_rank * m_sizes.gathered, gatheredChunk(step));
    for (int other = 0; other < m_ranks; ++other)
        if (other != m_rank)
            m_transport.send(m_rank, other, keyOf(kCompressedSum, kGathered, step.chunk), message);
}

bool CompressedExchange::takeAll(const Step &step)
{
    const SummedPart chunk = gatheredChunk(step);
    for (int from = 0; from < m_ranks; ++from) {
        if (from == m_rank)
            continue;
        const backend::Tensor message = m_transport.receive(from, m_rank, keyOf(kCompressedSum, kGathered, step.chunk));
        if (!message)
            return false;
        m_context.compute.copy(m_gathered.data() + from * m_sizes.gathered + chunk.first, message->data(),
                               chunk.last - chunk.first);
        m_context.compute.finish();
    }
    return true;
}

} // namespace stagelens::runtime
