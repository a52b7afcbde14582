#include "engine/runtime/executor/device_messages.h"

#include "engine/runtime/executor/message_order.h"
#include "engine/runtime/executor/output/tail_shards.h"

#include <algorithm>

namespace stagelens::runtime {

using backend::MessageKey;
using backend::Tensor;
using schedule::Pass;
using schedule::PassKind;
using schedule::PassStep;
using schedule::PassStepKind;
using schedule::PassValue;
using schedule::Route;

void DeviceMessages::beginStep()
{
    m_combined.assign(size(m_context.shape.units()), 0);
}

bool DeviceMessages::receive(PassRun &run)
{
    for (; run.isNext(PassStepKind::Receive); run.advance())
        if (!receive(run, *run.next()))
            return false;
    return true;
}

bool DeviceMessages::receive(PassRun &run, const PassStep &step)
{
    if (schedule::traits(step.in.front()).route == Route::Everyone)
        return combine(run, step);
    Tensor tensor = arrival(run.pass(), step);
    if (!tensor)
        return false;
    if (!step.copies) {
        run.message(step.out.front()) = std::move(tensor);
        return true;
    }
    const Shape &shape = m_context.shape;
    const Values out = run.out(step.out.front(), m_context);
    if (const auto codec = codecOf(m_plan, step.in.front(), senderOf(run.pass(), step.in.front()), m_device))
        compute().unpack(out, tensor->data(), shape.ownTokens(), shape.hidden, *codec);
    else
        compute().copy(out, m_context.of(tensor), shape.ownNumbers(schedule::rowsOf(step.in.front())));
    compute().finish(); // before the tensor is released
    return true;
}

/// Of a message between stages, otherwise this device.
int DeviceMessages::senderOf(const Pass &pass, PassValue message) const
{
    switch (schedule::traits(message).route) {
    case Route::Next: return m_plan.deviceOf(pass.stage - 1, pass.microbatch);
    case Route::Previous: return m_plan.deviceOf(pass.stage + 1, pass.microbatch);
    default: return m_device;
    }
}

Tensor DeviceMessages::arrival(const Pass &pass, const PassStep &step)
{
    const PassValue message = step.in.front();
    const MessageKey key = keyOf(message, pass.stage, pass.microbatch);
    switch (schedule::traits(message).route) {
    case Route::Next:
    case Route::Previous: return m_transport.receive(senderOf(pass, message), m_device, key);
    case Route::FromFirst: return m_transport.receiveBroadcast(m_plan.firstDevice(pass.microbatch), m_device, key);
    case Route::FromLast: return m_transport.receiveBroadcast(m_plan.lastDevice(pass.microbatch), m_device, key);
    case Route::ToFirst:
    case Route::ToLast:
    case Route::Everyone: break;
    }
    if (std::ranges::count(step.in, PassValue::ShardFactors) == 0)
        return m_transport.reduce(m_device, key, compute());
    return m_transport.reduceScaled(m_device, key,
                                    m_context.memory.at(PassValue::ShardFactors, simulate::kVocabularyStage, pass.microbatch),
                                    outputBlocks(pass.microbatch), compute());
}

std::span<const backend::RowBlock> DeviceMessages::outputBlocks(int microbatch)
{
    const Shape &shape = m_context.shape;
    m_blocks.assign(1, {shape.ownTokens() * shape.outputHeads, shape.tableWidth});
    if (shape.tailWidth > 0)
        for (const TailRows &tail : tailRows(m_step, microbatch, shape))
            m_blocks.push_back({std::ssize(tail.tokens), tail.tail.width});
    return m_blocks;
}

bool DeviceMessages::combine(PassRun &run, const PassStep &step)
{
    const PassValue message = step.in.front();
    const int microbatch = run.pass().microbatch;
    // The last device of VOCAB-2 needs the statistics in T and in B (or I), but receives them once.
    std::uint16_t &combined = m_combined[size(microbatch)];
    const auto bit = static_cast<std::uint16_t>(1U << schedule::messageIndex(message));
    if ((combined & bit) != 0)
        return true;
    if (!m_transport.gather(m_device, keyOf(message, 0, microbatch), m_parts))
        return false;
    m_addresses.clear();
    for (const Tensor &part : m_parts)
        m_addresses.push_back(part->data());
    const kernels::SoftmaxStatistics all = run.statistics(step.out.front(), m_context);
    if (message == PassValue::Maxima)
        compute().combineMaxima(all.maximum, m_addresses, all.tokens);
    else if (message == PassValue::Sums)
        compute().combineSums(all, run.statistics(PassValue::LocalStatistics, m_context).maximum, m_addresses);
    else
        compute().combineShards(all, m_addresses);
    if (std::ranges::count(step.out, PassValue::ShardFactors) > 0)
        makeShardFactors(m_context.memory.at(PassValue::ShardFactors, simulate::kVocabularyStage, microbatch), all, microbatch);
    compute().finish(); // before the parts are released
    m_parts.clear();
    combined |= bit;
    return true;
}

/// Sequence parallelism: each device's factors are those of the rank's own tokens.
void DeviceMessages::makeShardFactors(float *factors, const kernels::SoftmaxStatistics &all, int microbatch)
{
    if (m_context.shape.tailWidth > 0) { // those of the rows of each block together
        kernels::SoftmaxStatistics ofBlock = all;
        std::vector<const float *> addresses = m_addresses;
        for (const backend::RowBlock &block : outputBlocks(microbatch)) {
            ofBlock.tokens = block.rows;
            compute().shardFactors(factors, addresses, ofBlock);
            factors += std::ssize(addresses) * block.rows;
            for (float **each : {&ofBlock.maximum, &ofBlock.sum})
                *each += block.rows;
            for (const float *&each : addresses)
                each += block.rows;
        }
        return;
    }
    compute().shardFactors(factors, m_addresses, all);
    const std::int64_t tokens = m_context.shape.outputTokens();
    const std::int64_t own = m_context.shape.ownTokens() * m_context.shape.outputHeads;
    if (own == tokens)
        return;
    for (std::int64_t shard = 0; shard < std::ssize(m_addresses); ++shard)
        if (const std::int64_t from = shard * tokens + m_tensor * own; from != shard * own)
            compute().copy(factors + shard * own, factors + from, own);
}

bool DeviceMessages::receiveWithoutBackward(int microbatch)
{
    const int lastStage = m_plan.schedule.placement().lastStage();
    const schedule::RecipeBook &book = m_plan.recipes();
    for (const PassKind kind : {PassKind::T, PassKind::B}) {
        if (kind == PassKind::B && m_device != m_plan.lastDevice(microbatch))
            continue;
        const Pass pass = schedule::makePass(kind, lastStage, microbatch);
        PassRun run(pass, m_plan.recipeOf(pass, m_device));
        for (; run.isNext(PassStepKind::Receive); run.advance()) {
            const PassValue message = run.next()->in.front();
            if (!schedule::isForward(book.senderOf(message)))
                continue;
            // Only the last device needs the statistics, and elsewhere their buffer may be memory of the keys of slices.
            if (schedule::traits(message).route == Route::Everyone && m_device != m_plan.lastDevice(microbatch)) {
                if (!m_transport.gather(m_device, keyOf(message, 0, microbatch), m_parts))
                    return false;
                m_parts.clear();
            } else if (!receive(run, *run.next())) {
                return false;
            }
        }
    }
    return true;
}

void DeviceMessages::send(PassRun &run)
{
    const Pass &pass = run.pass();
    for (; run.isNext(PassStepKind::Send); run.advance()) {
        const PassValue message = run.next()->in.front();
        Tensor tensor = std::move(run.message(message));
        const std::optional<int> stage = m_plan.destinationOf(message, pass);
        const MessageKey key = keyOf(message, stage.value_or(0), pass.microbatch);
        if (stage)
            m_transport.send(m_device, m_plan.deviceOf(*stage, pass.microbatch), key, std::move(tensor));
        else
            m_transport.broadcast(m_device, key, std::move(tensor));
    }
}

} // namespace stagelens::runtime
