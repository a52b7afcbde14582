#include "engine/runtime/executor/replica_exchange.h"

#include "engine/simulate/buffers.h"

namespace stagelens::runtime {

using layout::Interval;
using timeline::AnchoredKind;

namespace {

/// Message kinds in addition to those of passes and of copies (copied_gradients.cpp). Replicas of a device send each other
/// nothing else.
enum ReplicaMessage : std::uint8_t { kGroupSum = 250, kReplicaPart = 252, kWholeShare = 253 };

/// Returns `count` numbers from `first` on, `stride` apart.
std::vector<int> numbers(int first, int stride, int count)
{
    std::vector<int> all;
    for (int i = 0; i < count; ++i)
        all.push_back(first + i * stride);
    return all;
}

} // namespace

ReplicaExchange::ReplicaExchange(const RunPlan &plan, int share, const Context &context, DeviceModel &model,
                                 backend::Transport &transport, Of of)
    : m_of(of), m_isSharded(plan.experiment.parallel.zero > 0), m_isInPasses(plan.experiment.parallel.reducesEagerly()),
      m_group(share / plan.experiment.parallel.shardGroup()), m_groups(plan.experiment.parallel.shardGroups()),
      m_replica(of == Of::Shared ? share % plan.experiment.parallel.shardGroup()
                                 : model.replicaCuts().expertShare(share % plan.experiment.parallel.shardGroup())),
      m_replicas((of == Of::Shared ? model.replicaCuts().shared : model.replicaCuts().experts).replicas()), m_context(context),
      m_model(model), m_transport(transport, numbers(m_group * m_replicas, 1, m_replicas)),
      m_holders(transport, numbers(m_replica, m_replicas, m_groups)), m_chunkFloats(simulate::replicaChunkFloats(cut())),
      m_chunks(static_cast<int>(m_replicas * m_groups > 1 && m_chunkFloats > 0
                                    ? (cut().largestShare() + m_chunkFloats - 1) / m_chunkFloats
                                    : 0)) // without other holders there is no exchange
{}

std::vector<ReplicaExchange::Step> ReplicaExchange::stepsOf(AnchoredKind kind, When when) const
{
    if (kind == AnchoredKind::GatherParameters && m_replicas == 1)
        return {};
    if (kind == AnchoredKind::GatherParameters && m_isInPasses)
        return {Step::SendOwn, Step::TakeOthers, Step::TakeReceipts};
    if (kind == AnchoredKind::GatherParameters)
        return {Step::SendOwn, Step::TakeOthers};
    if (when == When::InPass)
        return m_replicas == 1 ? std::vector<Step>() : std::vector{Step::SendParts, Step::AddParts, Step::TakeReceipts};
    if (m_groups > 1 && (m_isInPasses || m_replicas == 1)) // passes have summed; or experts that each group has once
        return {Step::SendSums, Step::AddSums};
    if (m_groups > 1)
        return {Step::SendParts, Step::AddParts, Step::SendSums, Step::AddSums};
    if (m_isInPasses)
        return {};
    if (m_isSharded)
        return {Step::SendParts, Step::AddParts};
    return {Step::SendParts, Step::AddParts, Step::TakeOthers};
}

int ReplicaExchange::rounds(AnchoredKind kind, When when) const
{
    return m_chunks * static_cast<int>(stepsOf(kind, when).size());
}

base::Result<> ReplicaExchange::run(AnchoredKind kind, When when, int round)
{
    const std::vector<Step> steps = stepsOf(kind, when);
    const auto count = static_cast<int>(steps.size());
    const int chunk = round / count;
    const ParameterPart part = kind == AnchoredKind::ReduceGradients ? &Parameter::gradient : &Parameter::value;
    bool isWhole = true;
    switch (steps[size(round % count)]) {
    case Step::SendParts: sendParts(chunk, part); break;
    case Step::AddParts: isWhole = addParts(chunk, part, !m_isSharded); break;
    case Step::TakeReceipts: isWhole = takeReceipts(chunk, kind); break;
    case Step::SendSums: sendSums(chunk); break;
    case Step::AddSums: isWhole = addSums(chunk); break;
    case Step::SendOwn: sendOwn(chunk, part); break;
    case Step::TakeOthers: isWhole = takeOthers(chunk, part); break;
    }
    return isWhole ? base::Result<>() : base::Error::cancelled();
}

base::Bytes ReplicaExchange::bytesSent(AnchoredKind kind) const
{
    const layout::ReplicaCut &cut = this->cut();
    const std::int64_t toOthers = cut.share(m_replica).size() * (m_replicas - 1);
    std::int64_t floats = 0;
    for (const Step step : stepsOf(kind, When::StepEnd)) {
        if (step == Step::SendParts)
            floats += cut.extent() - cut.share(m_replica).size();
        if (step == Step::SendSums)
            floats += cut.share(m_replica).size() * (m_groups - 1);
        if (step == Step::SendOwn || step == Step::TakeOthers) // without ZeRO, AddParts sends what TakeOthers takes
            floats += step == Step::TakeOthers && kind == AnchoredKind::GatherParameters ? 0 : toOthers;
    }
    return floats * static_cast<base::Bytes>(sizeof(float));
}

Interval ReplicaExchange::chunkOf(int replica, int chunk) const
{
    const Interval share = cut().share(replica);
    return layout::common(share, {share.begin + chunk * m_chunkFloats, share.begin + (chunk + 1) * m_chunkFloats});
}

template <class Visit>
void ReplicaExchange::eachPiece(const Interval &chunk, const ParameterPart &part, const Visit &visit)
{
    const auto &parameters = m_model.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Interval place = cut().place(i);
        if (const Interval piece = layout::common(place, chunk); piece.size() > 0)
            visit(piece.begin - chunk.begin, parameters[i]->numbersFrom(part, piece.begin - place.begin).floats(),
                  piece.size());
    }
}

backend::Tensor ReplicaExchange::packed(const Interval &chunk, const ParameterPart &part)
{
    backend::Tensor message = m_context.memory.allocateMessage(chunk.size());
    eachPiece(chunk, part, [&](std::int64_t at, const float *numbers, std::int64_t count) {
        m_context.compute.copy(message->data() + at, numbers, count);
    });
    m_context.compute.finish();
    return message;
}

void ReplicaExchange::unpack(const Interval &chunk, const ParameterPart &part, float *from)
{
    eachPiece(chunk, part,
              [&](std::int64_t at, float *numbers, std::int64_t count) { m_context.compute.copy(numbers, from + at, count); });
    m_context.compute.finish();
}

void ReplicaExchange::announceShares(std::uint8_t kind, int chunk, ToWhom toWhom)
{
    if (!m_transport.isOrdered())
        return;
    std::vector<backend::Message> order;
    for (int owner = 0; owner < m_replicas; ++owner)
        for (int other = 0; other < m_replicas; ++other)
            if (const std::int64_t floats = chunkOf(owner, chunk).size(); other != owner && floats > 0)
                order.push_back(toWhom == ToWhom::Owner ? backend::Message{other, owner, keyOf(kind, chunk), floats}
                                                        : backend::Message{owner, other, keyOf(kind, chunk), floats});
    m_transport.announce(m_replica, order);
}

void ReplicaExchange::sendParts(int chunk, const ParameterPart &part)
{
    announceShares(kReplicaPart, chunk, ToWhom::Owner);
    for (int owner = 0; owner < m_replicas; ++owner)
        if (const Interval share = chunkOf(owner, chunk); share.size() > 0)
            m_transport.send(m_replica, owner, keyOf(kReplicaPart, chunk), packed(share, part));
}

/// Values become their mean, and gradients, which have the weights of the whole step, their sum.
bool ReplicaExchange::addParts(int chunk, const ParameterPart &part, bool tellsOthers)
{
    if (tellsOthers)
        announceShares(kWholeShare, chunk, ToWhom::Others);
    const Interval own = chunkOf(m_replica, chunk);
    if (own.size() == 0)
        return true;
    backend::Tensor sum = m_transport.reduce(m_replica, keyOf(kReplicaPart, chunk), m_context.compute, base::Precision::Fp32);
    if (!sum)
        return false;
    if (part == &Parameter::value)
        m_context.compute.scale(sum->data(), sum->data(), 1.0F / static_cast<float>(m_replicas), own.size());
    unpack(own, part, sum->data());
    for (int other = 0; other < m_replicas; ++other)
        if (other != m_replica && (tellsOthers || (m_isInPasses && chunkOf(other, chunk).size() == 0)))
            m_transport.send(m_replica, other, keyOf(kWholeShare, chunk), sum);
    return true;
}

/// Keeps replicas in step where some have an empty share. When gradients are reduced, these wait until the others have added
/// their parts; when parameters are gathered, the others wait until these have copied theirs. Without this a replica could run
/// several passes ahead, and its messages would need more memory than is planned.
bool ReplicaExchange::takeReceipts(int chunk, AnchoredKind kind)
{
    const bool areFromEmpty = kind == AnchoredKind::GatherParameters;
    const auto isEmpty = [&](int replica) { return chunkOf(replica, chunk).size() == 0; };
    for (int other = 0; other < m_replicas && isEmpty(m_replica) != areFromEmpty; ++other)
        if (isEmpty(other) == areFromEmpty && !m_transport.receive(other, m_replica, keyOf(kWholeShare, chunk)))
            return false;
    return true;
}

/// Each group gets a copy of its own, into which it adds the others.
void ReplicaExchange::sendSums(int chunk)
{
    const Interval own = chunkOf(m_replica, chunk);
    if (m_holders.isOrdered()) {
        std::vector<backend::Message> order;
        for (int from = 0; from < m_groups; ++from)
            for (int to = 0; to < m_groups; ++to)
                if (from != to && own.size() > 0)
                    order.push_back({from, to, keyOf(kGroupSum, chunk), own.size()});
        m_holders.announce(m_group, order);
    }
    for (int group = 0; group < m_groups && own.size() > 0; ++group)
        m_holders.send(m_group, group, keyOf(kGroupSum, chunk), packed(own, &Parameter::gradient));
}

bool ReplicaExchange::addSums(int chunk)
{
    const Interval own = chunkOf(m_replica, chunk);
    if (own.size() == 0)
        return true;
    const backend::Tensor sum = m_holders.reduce(m_group, keyOf(kGroupSum, chunk), m_context.compute, base::Precision::Fp32);
    if (!sum)
        return false;
    unpack(own, &Parameter::gradient, sum->data());
    return true;
}

void ReplicaExchange::sendOwn(int chunk, const ParameterPart &part)
{
    announceShares(kWholeShare, chunk, ToWhom::Others);
    const Interval own = chunkOf(m_replica, chunk);
    if (own.size() == 0)
        return;
    const backend::Tensor message = packed(own, part);
    for (int other = 0; other < m_replicas; ++other)
        if (other != m_replica)
            m_transport.send(m_replica, other, keyOf(kWholeShare, chunk), message);
}

bool ReplicaExchange::takeOthers(int chunk, const ParameterPart &part)
{
    for (int owner = 0; owner < m_replicas; ++owner) {
        const Interval share = chunkOf(owner, chunk);
        if (owner == m_replica || share.size() == 0)
            continue;
        const backend::Tensor message = m_transport.receive(owner, m_replica, keyOf(kWholeShare, chunk));
        if (!message)
            return false;
        unpack(share, part, message->data());
        if (m_isInPasses && chunkOf(m_replica, chunk).size() == 0)
            m_transport.send(m_replica, owner, keyOf(kWholeShare, chunk), message); // as a receipt
    }
    return true;
}

base::Result<> ReplicaExchanges::run(AnchoredKind kind, When when, int round)
{
    if (kind == AnchoredKind::GatherParameters && round == 0)
        m_model.restoreValues();
    if (kind == AnchoredKind::ReduceGradients && when == When::InPass && round == 0)
        addOutputGradients(m_model.parameters(), m_context.compute);
    const int shared = m_shared.rounds(kind, when);
    auto done = round < shared ? m_shared.run(kind, when, round) : m_experts.run(kind, when, round - shared);
    if (done && round + 1 == rounds(kind, when))
        kind == AnchoredKind::ReduceGradients ? m_model.dropGradients() : m_model.roundValues();
    return done;
}

} // namespace stagelens::runtime
