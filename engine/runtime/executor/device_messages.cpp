// Receives the inputs of a device's passes and sends their results. engine/passes/requirements.h defines who needs what.
#include "engine/runtime/executor/device.h"
#include "engine/runtime/executor/message_order.h"

#include <algorithm>

namespace stagelens::runtime {
namespace {

using backend::MessageKey;
using backend::Tensor;
using schedule::Pass;
using schedule::PassKind;
using schedule::Transfer;
using simulate::BufferKind;

} // namespace

std::optional<Mail> Device::receive(const Pass &pass)
{
    m_memory.enter(pass);
    const int microbatch = pass.microbatch;
    const auto broadcast = [&](int root, Transfer transfer) {
        return m_transport.receiveBroadcast(root, m_rank, keyOf(transfer, 0, microbatch));
    };
    Mail in;
    bool came = true;
    switch (pass.kind) {
    case PassKind::F: came = receiveForward(pass, in); break;
    case PassKind::B:
    case PassKind::I: came = receiveBackward(pass, in); break;
    case PassKind::S:
        came = copyInto(m_context.at(BufferKind::OutputInput, 0, microbatch),
                        broadcast(m_plan.lastDevice(microbatch), Transfer::BroadcastX));
        break;
    case PassKind::U:
        came = m_transport.gather(m_rank, keyOf(Transfer::Statistics, kStatistics, microbatch), m_parts);
        if (came)
            compute().combineMaxima(OutputShard::statistics(microbatch, m_context).maximum, parts(), m_plan.shape.tokens());
        compute().finish(); // before the parts go back
        break;
    case PassKind::T: came = receiveStatistics(microbatch); break;
    case PassKind::EB:
        came = (in.tensor = broadcast(m_plan.firstDevice(microbatch), Transfer::EmbedBroadcast)) != nullptr;
        break;
    default: break;
    }
    m_parts.clear();
    return came ? std::optional(std::move(in)) : std::nullopt;
}

bool Device::copyInto(Values place, const Tensor &tensor) const
{
    if (!tensor)
        return false;
    compute().copy(place, m_context.of(tensor), m_plan.shape.boundary());
    compute().finish(); // before the tensor goes back
    return true;
}

kernels::ShardParts Device::parts()
{
    m_addresses.clear();
    for (const Tensor &part : m_parts)
        m_addresses.push_back(part->data());
    return m_addresses;
}

Values Device::inputPlace(const Pass &pass, Tensor &message)
{
    if (!m_stages.at(pass.stage).isEmpty())
        return m_context.at(BufferKind::StageInput, pass.stage, pass.microbatch);
    return isLast(pass) ? m_context.at(BufferKind::NormInput, pass.stage, pass.microbatch) : newMessage(message);
}

Values Device::gradientPlace(const Pass &pass, Tensor &message)
{
    const bool isKept = pass.kind == PassKind::I && pass.stage == 0 && !m_plan.isSharded();
    return isKept ? m_context.at(BufferKind::EmbeddingGradient, 0, pass.microbatch) : newMessage(message);
}

Values Device::newMessage(Tensor &message)
{
    message = m_context.newMessage();
    return m_context.of(message);
}

bool Device::receiveForward(const Pass &pass, Mail &in)
{
    if (pass.stage > 0) {
        const int from = m_plan.deviceOf(pass.stage - 1, pass.microbatch);
        const Tensor input = m_transport.receive(from, m_rank, keyOf(Transfer::Send, pass.stage, pass.microbatch));
        return copyInto(inputPlace(pass, in.tensor), input);
    }
    if (!m_plan.isSharded())
        return true;
    const Tensor input = m_transport.reduce(m_rank, keyOf(Transfer::EmbedReduce, 0, pass.microbatch), compute());
    return copyInto(inputPlace(pass, in.tensor), input);
}

bool Device::receiveBackward(const Pass &pass, Mail &in)
{
    const int microbatch = pass.microbatch;
    if (!isLast(pass)) {
        const MessageKey key = keyOf(Transfer::Send, m_plan.schedule.stages() + pass.stage, microbatch);
        const Tensor gradient = m_transport.receive(m_plan.deviceOf(pass.stage + 1, microbatch), m_rank, key);
        return gradient && copyInto(gradientPlace(pass, in.tensor), gradient);
    }
    if (m_plan.vocabulary().isGradientFromS) {
        if (!receiveStatistics(microbatch))
            return false;
        in.rows.targets = m_transport.reduce(m_rank, keyOf(Transfer::Statistics, kTargets, microbatch), compute());
        in.tensor = m_transport.reduceScaled(m_rank, keyOf(Transfer::Statistics, kExponentials, microbatch),
                                             m_memory.at(BufferKind::ShardFactors, 0, microbatch), m_plan.shape.tokens(),
                                             m_plan.shape.hidden, compute());
        return in.tensor != nullptr && in.rows.targets != nullptr;
    }
    if (!m_plan.isSharded())
        return true;
    in.tensor = m_transport.reduce(m_rank, keyOf(Transfer::ReduceGradient, 0, microbatch), compute());
    return in.tensor != nullptr;
}

bool Device::receiveStatistics(int microbatch)
{
    // VOCAB-2's last device needs them twice, in T and in B (or I), and gets them once.
    if (m_hasStatistics[size(microbatch)])
        return true;
    const model::VocabularyTraits &method = m_plan.vocabulary();
    const int round = method.hasPassU ? kSums : kStatistics;
    if (!m_transport.gather(m_rank, keyOf(Transfer::Statistics, round, microbatch), m_parts))
        return false;
    const kernels::SoftmaxStatistics all = statistics(microbatch);
    if (method.hasPassU)
        compute().combineSums(all, OutputShard::statistics(microbatch, m_context).maximum, parts());
    else
        compute().combineShards(all, parts());
    if (method.isGradientFromS && m_rank == m_plan.lastDevice(microbatch))
        compute().shardFactors(m_memory.at(BufferKind::ShardFactors, 0, microbatch), parts(), all);
    compute().finish();
    m_parts.clear();
    m_hasStatistics[size(microbatch)] = true;
    return true;
}

base::Result<> Device::endForward(int microbatch)
{
    if (!m_plan.isSharded())
        return {};
    if (!receiveStatistics(microbatch))
        return base::Error::cancelled();
    if (m_rank != m_plan.lastDevice(microbatch))
        return {};
    if (m_plan.vocabulary().isGradientFromS) {
        (void)m_transport.reduce(m_rank, keyOf(Transfer::Statistics, kTargets, microbatch), compute());
        (void)m_transport.reduce(m_rank, keyOf(Transfer::Statistics, kExponentials, microbatch), compute());
    }
    return recordLoss(microbatch, nullptr);
}

void Device::publish(const Pass &pass, Mail mail)
{
    const int microbatch = pass.microbatch;
    const model::VocabularyTraits &method = m_plan.vocabulary();
    if (!mail.tensor)
        return;
    switch (pass.kind) {
    case PassKind::F:
        if (isLast(pass))
            return m_transport.broadcast(m_rank, keyOf(Transfer::BroadcastX, 0, microbatch), std::move(mail.tensor));
        return m_transport.send(m_rank, m_plan.deviceOf(pass.stage + 1, microbatch),
                                keyOf(Transfer::Send, pass.stage + 1, microbatch), std::move(mail.tensor));
    case PassKind::B:
    case PassKind::I:
        if (pass.stage == 0)
            return m_transport.broadcast(m_rank, keyOf(Transfer::EmbedBroadcast, 0, microbatch), std::move(mail.tensor));
        return m_transport.send(m_rank, m_plan.deviceOf(pass.stage - 1, microbatch),
                                keyOf(Transfer::Send, m_plan.schedule.stages() + pass.stage - 1, microbatch),
                                std::move(mail.tensor));
    case PassKind::S:
        m_transport.giveToAll(m_rank, keyOf(Transfer::Statistics, kStatistics, microbatch), std::move(mail.tensor));
        if (!method.isGradientFromS)
            return;
        m_transport.giveToRoot(m_rank, m_plan.lastDevice(microbatch), keyOf(Transfer::Statistics, kExponentials, microbatch),
                               std::move(mail.rows.exponentials));
        return m_transport.giveToRoot(m_rank, m_plan.lastDevice(microbatch), keyOf(Transfer::Statistics, kTargets, microbatch),
                                      std::move(mail.rows.targets));
    case PassKind::U:
        return m_transport.giveToAll(m_rank, keyOf(Transfer::Statistics, kSums, microbatch), std::move(mail.tensor));
    case PassKind::T:
        return m_transport.giveToRoot(m_rank, m_plan.lastDevice(microbatch), keyOf(Transfer::ReduceGradient, 0, microbatch),
                                      std::move(mail.tensor));
    case PassKind::EF:
        return m_transport.giveToRoot(m_rank, m_plan.firstDevice(microbatch), keyOf(Transfer::EmbedReduce, 0, microbatch),
                                      std::move(mail.tensor));
    default: return;
    }
}

} // namespace stagelens::runtime
