#include "engine/schedule/order/interval_order.h"

#include <algorithm>

namespace stagelens::schedule {

OrderWriter::OrderWriter(int stage, int microbatches, int barriers)
    : m_stage(stage), m_microbatches(microbatches), m_barriers(barriers), m_lag(std::max(1, barriers - 1))
{
    const int passes = barriers == 0 ? 2 : m_lag > 1 ? 7 : 6; // of a microbatch
    m_passes.reserve(static_cast<std::size_t>(microbatches) * static_cast<std::size_t>(passes));
}

void OrderWriter::emit(PassKind kind, int &next)
{
    if (has(next))
        m_passes.push_back(makePass(kind, m_stage, next++));
}

void OrderWriter::embedForward()
{
    if (m_barriers > 0)
        emit(PassKind::EF, m_embedForward);
}

void OrderWriter::embedBackward()
{
    if (m_barriers > 0)
        emit(PassKind::EB, m_embedBackward);
}

void OrderWriter::emitSlot(int slot)
{
    if (has(slot - m_lag))
        m_passes.push_back(makePass(PassKind::T, m_stage, slot - m_lag));
    if (m_lag > 1 && has(slot - 1))
        m_passes.push_back(makePass(PassKind::U, m_stage, slot - 1));
    if (has(slot))
        m_passes.push_back(makePass(PassKind::S, m_stage, slot));
}

void OrderWriter::slot()
{
    // B of microbatch i on the last stage waits for slot i + barriers - 1.
    if (m_barriers > 0 && m_slots < m_microbatches + m_barriers - 1)
        emitSlot(m_slots);
    ++m_slots;
}

void OrderWriter::remainingSlots()
{
    if (m_barriers == 0)
        return;
    const int end = m_microbatches + m_lag;
    for (int slot = std::min(m_slots, m_microbatches + m_barriers - 1); slot < end; ++slot)
        emitSlot(slot);
    m_slots = std::max(m_slots, end);
}

void OrderWriter::remainingEmbedBackwards()
{
    for (int i = m_embedBackward; i < m_microbatches; ++i)
        embedBackward();
}

std::vector<Interval> oneForwardOneBackwardIntervals(int devices, base::Nanos forward, base::Nanos backward)
{
    std::vector<Interval> intervals(static_cast<std::size_t>(devices));
    // From the last device to the first, each slot begins a forward earlier, until one would begin before the B that it
    // follows. That device runs its slot after F instead, at the same time as its successor, and the next device after B again.
    base::Nanos offset = 0;
    for (int device = devices - 2; device >= 0; --device) {
        const Interval &next = intervals[static_cast<std::size_t>(device) + 1];
        Interval &own = intervals[static_cast<std::size_t>(device)];
        own.forwards = devices - device;
        own.leadingSlots = next.leadingSlots + (next.slotAfterB ? 1 : 0);
        if (!next.slotAfterB)
            offset += backward - forward;
        else if (offset - forward >= -backward)
            offset -= forward;
        else
            own.slotAfterB = false;
    }
    return intervals;
}

std::vector<Pass> intervalOrder(const std::vector<Interval> &intervals, int device, int microbatches, int barriers)
{
    const Interval &own = intervals[static_cast<std::size_t>(device)];
    OrderWriter writer(device, microbatches, barriers);
    // EF runs one interval before the first stage needs its result, EB one interval after the first stage's backward. All
    // devices use the same slots, so that their collectives meet.
    const int firstSlotWithEmbedding = intervals.front().leadingSlots + barriers - 1;
    const auto slotWithEmbedding = [&] {
        const int slot = writer.slotsPassed();
        writer.slot();
        if (slot >= firstSlotWithEmbedding)
            writer.embedForward();
        if (slot >= firstSlotWithEmbedding + 2)
            writer.embedBackward();
    };

    for (int i = 0; i <= device; ++i)
        writer.embedForward();
    for (int i = 0; i < own.forwards; ++i) {
        writer.embedForward();
        writer.forward();
    }
    for (int barrier = 0; barrier < barriers; ++barrier) {
        writer.slot();
        if (barrier + 1 < barriers)
            writer.embedForward();
        writer.forward();
    }
    for (int i = 0; i < own.leadingSlots; ++i)
        slotWithEmbedding();
    for (int i = 0; i < microbatches; ++i) {
        writer.backward();
        if (!own.slotAfterB)
            writer.forward();
        slotWithEmbedding();
        if (own.slotAfterB)
            writer.forward();
    }
    writer.remainingEmbedBackwards();
    writer.remainingSlots();
    return writer.take();
}

} // namespace stagelens::schedule
