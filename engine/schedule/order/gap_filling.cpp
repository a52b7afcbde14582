#include "engine/schedule/order/gap_filling.h"

#include <algorithm>
#include <utility>

namespace stagelens::schedule {

using base::Nanos;

GapFilling::GapFilling(const Placement &placement, int microbatches, const Durations &durations,
                       const std::vector<std::int64_t> &limits)
    : m_placement(placement), m_microbatches(microbatches), m_durations(durations),
      m_devices(static_cast<std::size_t>(placement.devices)), m_counts(2 * static_cast<std::size_t>(placement.stages())),
      m_ends(m_counts.size() * static_cast<std::size_t>(microbatches))
{
    const auto perDevice = static_cast<std::size_t>(placement.chunks()) * static_cast<std::size_t>(microbatches);
    for (std::size_t at = 0; at < m_devices.size(); ++at) {
        m_devices[at].room = limits[at];
        m_devices[at].passes.reserve(3 * perDevice);
        m_devices[at].weights.reserve(perDevice);
    }
}

std::optional<Nanos> GapFilling::arrival(PassKind kind, int stage) const
{
    const int from = kind == PassKind::F ? stage - 1 : stage + 1;
    if (from < 0 || from > m_placement.lastStage() || m_placement.deviceOf(from) == m_placement.deviceOf(stage))
        return std::nullopt;
    const int microbatch = count(kind, stage);
    if (microbatch >= count(kind, from))
        return std::nullopt;
    return m_ends[row(kind, from) * static_cast<std::size_t>(m_microbatches) + static_cast<std::size_t>(microbatch)] +
           m_durations.transfer(Transfer::Send);
}

bool GapFilling::fits(int device, int forwards) const
{
    return forwards <= m_devices[static_cast<std::size_t>(device)].room;
}

Nanos GapFilling::timeToMakeRoom(int at) const
{
    const Device &device = m_devices[static_cast<std::size_t>(at)];
    return device.room > 0 || !hasWeight(device) ? 0 : m_durations.pass(PassKind::W, device.weights[device.nextWeight].stage);
}

void GapFilling::append(Device &device, const Pass &pass, Nanos ready)
{
    const Nanos begin = std::max(device.end, ready);
    if (!device.passes.empty())
        device.idle += begin - device.end;
    m_mostIdle = std::max(m_mostIdle, device.idle);
    device.end = begin + m_durations.pass(pass.kind, pass.stage);
    device.passes.push_back(pass);
}

void GapFilling::placeWeight(Device &device)
{
    append(device, device.weights[device.nextWeight++], device.end);
    ++device.room;
}

bool GapFilling::isReady(PassKind kind, int stage) const
{
    const int microbatch = count(kind, stage);
    if (microbatch >= m_microbatches)
        return false;
    if (kind == PassKind::F)
        return stage == 0 || microbatch < count(PassKind::F, stage - 1);
    return microbatch < (stage == m_placement.lastStage() ? count(PassKind::F, stage) : count(PassKind::I, stage + 1));
}

bool GapFilling::place(PassKind kind, int stage)
{
    if (!isReady(kind, stage))
        return false;
    Device &device = m_devices[static_cast<std::size_t>(m_placement.deviceOf(stage))];
    const int microbatch = count(kind, stage);
    if (kind == PassKind::F) {
        if (device.room <= 0 && hasWeight(device))
            placeWeight(device);
        if (device.room <= 0)
            return false;
        --device.room;
    }
    append(device, makePass(kind, stage, microbatch), arrival(kind, stage).value_or(0));
    m_ends[row(kind, stage) * static_cast<std::size_t>(m_microbatches) + static_cast<std::size_t>(microbatch)] = device.end;
    ++m_counts[row(kind, stage)];
    if (kind == PassKind::I)
        device.weights.push_back(makePass(PassKind::W, stage, microbatch));
    return true;
}

void GapFilling::fillGap(int at, Nanos ready, Nanos slack, bool whereLonger, bool whereShorter)
{
    Device &device = m_devices[static_cast<std::size_t>(at)];
    const auto ends = [&] { return device.end + m_durations.pass(PassKind::W, device.weights[device.nextWeight].stage); };
    while (hasWeight(device) && ends() <= ready)
        placeWeight(device);
    if (hasWeight(device) && ready > device.end && (ready - device.end > slack ? whereLonger : whereShorter))
        placeWeight(device);
}

void GapFilling::placeAllWeights(int at)
{
    Device &device = m_devices[static_cast<std::size_t>(at)];
    while (hasWeight(device))
        placeWeight(device);
}

TimedOrder GapFilling::take()
{
    TimedOrder made{{m_placement, {}}, 0};
    for (Device &device : m_devices) {
        made.makespan = std::max(made.makespan, device.end);
        made.order.devices.push_back(std::move(device.passes));
    }
    return made;
}

Nanos leastMakespan(const Placement &placement, int microbatches, const Durations &durations)
{
    std::vector<Nanos> least(static_cast<std::size_t>(placement.devices), -1);
    Nanos begin = 0;
    for (int stage = 0; stage < placement.stages(); ++stage) {
        const int device = placement.deviceOf(stage);
        if (stage > 0 && placement.deviceOf(stage - 1) != device)
            begin += durations.transfer(Transfer::Send);
        Nanos &end = least[static_cast<std::size_t>(device)];
        if (end < 0)
            end = begin;
        for (const PassKind kind : {PassKind::F, PassKind::I, PassKind::W})
            end += microbatches * durations.pass(kind, stage);
        begin += durations.pass(PassKind::F, stage);
    }
    return *std::ranges::max_element(least);
}

} // namespace stagelens::schedule
