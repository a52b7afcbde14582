#include "engine/runtime/executor/device_messages.h"

#include "engine/runtime/executor/message_order.h"

namespace stagelens::runtime {
namespace {

using backend::MessageKey;
using backend::Tensor;
using schedule::Pass;
using schedule::PassKind;
using schedule::Transfer;
using simulate::BufferKind;

} // namespace

void DeviceMessages::beginStep()
{
    m_hasStatistics.assign(size(m_plan.shape.microbatches), false);
}

std::optional<Payload> DeviceMessages::receive(const Pass &pass)
{
    const int microbatch = pass.microbatch;
    const auto broadcast = [&](int root, Transfer transfer) {
        return m_transport.receiveBroadcast(root, m_rank, keyOf(transfer, 0, microbatch));
    };
    Payload in;
    bool hasInputs = true;
    switch (pass.kind) {
    case PassKind::F: hasInputs = receiveForward(pass, in); break;
    case PassKind::B:
    case PassKind::I: hasInputs = receiveBackward(pass, in); break;
    case PassKind::S:
        hasInputs = copyInto(m_context.at(BufferKind::OutputInput, 0, microbatch),
                             broadcast(m_plan.lastDevice(microbatch), Transfer::BroadcastX));
        break;
    case PassKind::U: hasInputs = receiveMaxima(microbatch); break;
    case PassKind::T: hasInputs = receiveStatistics(microbatch); break;
    case PassKind::EB:
        hasInputs = (in.tensor = broadcast(m_plan.firstDevice(microbatch), Transfer::EmbedBroadcast)) != nullptr;
        break;
    default: break;
    }
    m_parts.clear();
    return hasInputs ? std::optional(std::move(in)) : std::nullopt;
}

bool DeviceMessages::copyInto(Values place, const Tensor &tensor) const
{
    if (!tensor)
        return false;
    compute().copy(place, m_context.of(tensor), m_plan.shape.boundary());
    compute().finish(); // before the tensor is released
    return true;
}

kernels::ShardParts DeviceMessages::parts()
{
    m_addresses.clear();
    for (const Tensor &part : m_parts)
        m_addresses.push_back(part->data());
    return m_addresses;
}

bool DeviceMessages::receiveForward(const Pass &pass, Payload &in)
{
    if (pass.stage > 0) {
        const int from = m_plan.deviceOf(pass.stage - 1, pass.microbatch);
        const Tensor input = m_transport.receive(from, m_rank, keyOf(Transfer::Send, pass.stage, pass.microbatch));
        return copyInto(m_tensors.input(pass, in.tensor), input);
    }
    if (!m_plan.isSharded())
        return true;
    const Tensor input = m_transport.reduce(m_rank, keyOf(Transfer::EmbedReduce, 0, pass.microbatch), compute());
    return copyInto(m_tensors.input(pass, in.tensor), input);
}

bool DeviceMessages::receiveBackward(const Pass &pass, Payload &in)
{
    const int microbatch = pass.microbatch;
    if (!m_plan.isLast(pass)) {
        const MessageKey key = keyOf(Transfer::Send, m_plan.schedule.stages() + pass.stage, microbatch);
        const Tensor gradient = m_transport.receive(m_plan.deviceOf(pass.stage + 1, microbatch), m_rank, key);
        return gradient && copyInto(m_tensors.gradient(pass, in.tensor), gradient);
    }
    if (m_plan.vocabulary().isGradientFromS) {
        if (!receiveStatistics(microbatch))
            return false;
        in.rows.targets = m_transport.reduce(m_rank, keyOf(Transfer::Statistics, kTargets, microbatch), compute());
        in.tensor = m_transport.reduceScaled(m_rank, keyOf(Transfer::Statistics, kExponentials, microbatch),
                                             m_context.memory.at(BufferKind::ShardFactors, 0, microbatch),
                                             m_plan.shape.tokens(), m_plan.shape.hidden, compute());
        return in.tensor != nullptr && in.rows.targets != nullptr;
    }
    if (!m_plan.isSharded())
        return true;
    in.tensor = m_transport.reduce(m_rank, keyOf(Transfer::ReduceGradient, 0, microbatch), compute());
    return in.tensor != nullptr;
}

bool DeviceMessages::receiveMaxima(int microbatch)
{
    const bool hasInputs = m_transport.gather(m_rank, keyOf(Transfer::Statistics, kStatistics, microbatch), m_parts);
    if (hasInputs)
        compute().combineMaxima(OutputShard::statistics(microbatch, m_context).maximum, parts(), m_plan.shape.tokens());
    compute().finish(); // before the parts are released
    return hasInputs;
}

bool DeviceMessages::receiveStatistics(int microbatch)
{
    // The last device of VOCAB-2 needs them in T and in B (or I), but receives them once.
    if (m_hasStatistics[size(microbatch)])
        return true;
    const model::VocabularyTraits &method = m_plan.vocabulary();
    const int round = method.hasPassU ? kSums : kStatistics;
    if (!m_transport.gather(m_rank, keyOf(Transfer::Statistics, round, microbatch), m_parts))
        return false;
    const kernels::SoftmaxStatistics all = m_tensors.statistics(microbatch);
    if (method.hasPassU)
        compute().combineSums(all, OutputShard::statistics(microbatch, m_context).maximum, parts());
    else
        compute().combineShards(all, parts());
    if (method.isGradientFromS && m_rank == m_plan.lastDevice(microbatch))
        compute().shardFactors(m_context.memory.at(BufferKind::ShardFactors, 0, microbatch), parts(), all);
    compute().finish();
    m_parts.clear();
    m_hasStatistics[size(microbatch)] = true;
    return true;
}

bool DeviceMessages::receiveWithoutBackward(int microbatch)
{
    if (!receiveStatistics(microbatch))
        return false;
    if (m_rank == m_plan.lastDevice(microbatch) && m_plan.vocabulary().isGradientFromS) {
        (void)m_transport.reduce(m_rank, keyOf(Transfer::Statistics, kTargets, microbatch), compute());
        (void)m_transport.reduce(m_rank, keyOf(Transfer::Statistics, kExponentials, microbatch), compute());
    }
    return true;
}

void DeviceMessages::sendToAll(Transfer transfer, int slot, int microbatch, Tensor tensor)
{
    m_transport.broadcast(m_rank, keyOf(transfer, slot, microbatch), std::move(tensor));
}

void DeviceMessages::sendTo(int device, Transfer transfer, int slot, int microbatch, Tensor tensor)
{
    m_transport.send(m_rank, device, keyOf(transfer, slot, microbatch), std::move(tensor));
}

void DeviceMessages::send(const Pass &pass, Payload result)
{
    const int microbatch = pass.microbatch;
    Tensor &tensor = result.tensor;
    if (!tensor)
        return;
    switch (pass.kind) {
    case PassKind::F:
        if (m_plan.isLast(pass))
            return sendToAll(Transfer::BroadcastX, 0, microbatch, std::move(tensor));
        return sendTo(m_plan.deviceOf(pass.stage + 1, microbatch), Transfer::Send, pass.stage + 1, microbatch,
                      std::move(tensor));
    case PassKind::B:
    case PassKind::I:
        if (pass.stage == 0)
            return sendToAll(Transfer::EmbedBroadcast, 0, microbatch, std::move(tensor));
        return sendTo(m_plan.deviceOf(pass.stage - 1, microbatch), Transfer::Send, m_plan.schedule.stages() + pass.stage - 1,
                      microbatch, std::move(tensor));
    case PassKind::S: {
        sendToAll(Transfer::Statistics, kStatistics, microbatch, std::move(tensor));
        if (!m_plan.vocabulary().isGradientFromS)
            return;
        const int root = m_plan.lastDevice(microbatch);
        sendTo(root, Transfer::Statistics, kExponentials, microbatch, std::move(result.rows.exponentials));
        return sendTo(root, Transfer::Statistics, kTargets, microbatch, std::move(result.rows.targets));
    }
    case PassKind::U: return sendToAll(Transfer::Statistics, kSums, microbatch, std::move(tensor));
    case PassKind::T: return sendTo(m_plan.lastDevice(microbatch), Transfer::ReduceGradient, 0, microbatch, std::move(tensor));
    case PassKind::EF: return sendTo(m_plan.firstDevice(microbatch), Transfer::EmbedReduce, 0, microbatch, std::move(tensor));
    default: return;
    }
}

} // namespace stagelens::runtime
