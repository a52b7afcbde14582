#include "engine/runtime/offload/device_copies.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace stagelens::runtime {

using schedule::CopyKind;

namespace {

timeline::AnchoredKind shownAs(CopyKind kind)
{
    return kind == CopyKind::Reload ? timeline::AnchoredKind::Reload : timeline::AnchoredKind::Offload;
}

} // namespace

DeviceCopies::DeviceCopies(const RunPlan &plan, int device, DeviceMemory &memory, backend::Compute &compute)
    : m_copies(plan.schedule.copies(device)), m_memory(memory), m_compute(compute),
      m_host(memory.plan(), compute.linkedMemory()), m_rate(copyRate(plan.experiment.schedule)),
      m_takesTurns(plan.experiment.schedule.offloadLanes == model::OffloadLanes::Half),
      m_offloads{schedule::byJoin(m_copies, CopyKind::Offload)}, m_reloads{schedule::byJoin(m_copies, CopyKind::Reload)},
      m_numbers(m_copies.size())
{
    const std::size_t lanes = m_copies.empty() ? 0 : m_takesTurns ? 1 : 2;
    while (m_lanes.size() < lanes)
        if (auto lane = compute.makeHostLane())
            m_lanes.push_back(std::move(lane));
        else
            break;
}

void DeviceCopies::beginStep()
{
    for (const auto &thread : m_threads)
        thread->drop();
    for (const auto &lane : m_lanes) {
        lane->finish();
        lane->beginStep();
    }
    m_host.begin();
    m_offloads.joined = m_reloads.joined = 0;
    m_position = m_next = m_launched = 0;
}

void DeviceCopies::copyBeside(std::stop_token halt)
{
    m_halt = std::move(halt);
    m_usesStreams = !m_lanes.empty() && m_rate == 0;
    const std::size_t threads = m_copies.empty() || m_usesStreams ? 0 : m_takesTurns ? 1 : 2;
    for (std::size_t i = m_threads.size(); i < threads; ++i)
        if (m_lanes.empty())
            m_threads.push_back(std::make_unique<CopyThread>(m_rate));
        else
            m_threads.push_back(std::make_unique<CopyThread>(
                m_rate, [lane = m_lanes[i].get()](const Moves &moves) { (void)lane->copyNow(moves); }));
}

bool DeviceCopies::beginUnit(std::span<const schedule::Pass> unit)
{
    m_position = m_next;
    m_next += unit.size();
    m_done.clear();
    m_host.enter(m_position);
    const std::size_t first = m_launched;
    while (m_launched < m_copies.size() && m_copies[m_launched].launch <= m_position)
        ++m_launched;
    const std::size_t early = first + schedule::firstOffloads(m_copies.subspan(first, m_launched - first));
    for (std::size_t copy = first; copy < early; ++copy)
        launch(copy);
    if (!join(m_offloads))
        return false;
    for (const schedule::Pass &pass : unit)
        m_memory.enter(pass);
    for (std::size_t copy = early; copy < m_launched; ++copy)
        launch(copy);
    return true;
}

bool DeviceCopies::joinReloads()
{
    return join(m_reloads);
}

bool DeviceCopies::join(Joins &joins)
{
    for (; joins.joined < joins.order.size() && m_copies[joins.order[joins.joined]].join <= m_position; ++joins.joined)
        if (!waitFor(joins.order[joins.joined]))
            return false;
    return true;
}

bool DeviceCopies::waitFor(std::size_t copy)
{
    if (m_usesStreams)
        laneOf(m_lanes, copy).join(m_numbers[copy]);
    return m_threads.empty() || laneOf(m_threads, copy).wait(m_numbers[copy], m_halt);
}

Moves DeviceCopies::movesOf(std::size_t copy)
{
    const simulate::BufferPlan &buffers = m_memory.plan().buffers;
    Moves moves;
    const auto [first, end] = buffers.movedBy(copy);
    for (std::uint32_t at = first; at < end; ++at) {
        const simulate::HostBuffer &each = buffers.hostBuffers()[at];
        moves[at - first] = m_copies[copy].kind == CopyKind::Offload ? Move{m_host.values(at), m_memory.values(each.from)}
                                                                     : Move{m_memory.values(each.to), m_host.values(at)};
    }
    return moves;
}

void DeviceCopies::launch(std::size_t copy)
{
    using Clock = std::chrono::steady_clock;
    const Moves moves = movesOf(copy);
    if (m_usesStreams) {
        m_numbers[copy] = laneOf(m_lanes, copy).launch(moves);
        return;
    }
    m_compute.finish(); // kernels of a GPU may write what is copied, or read what it overwrites
    if (!m_threads.empty()) {
        m_numbers[copy] = laneOf(m_threads, copy).launch(moves);
        return;
    }
    const auto begin = Clock::now();
    base::Nanos spent = 0;
    if (m_lanes.empty()) {
        copyNow(moves);
        spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    } else {
        spent = laneOf(m_lanes, copy).copyNow(moves);
    }
    const base::Bytes bytes = bytesOf(moves);
    m_done.push_back({copy, std::max(spent, leastTime(bytes, m_rate)), bytes});
}

void DeviceCopies::note(timeline::Lane &lane, base::Nanos zero) const
{
    const std::size_t own = lane.anchored.size();
    const bool hasThreads = !m_threads.empty();
    for (const auto &each : m_lanes)
        each->finish();
    for (std::size_t copy = 0; (hasThreads || m_usesStreams) && copy < m_launched; ++copy) {
        const CopyTimes times =
            hasThreads ? laneOf(m_threads, copy).times(m_numbers[copy]) : laneOf(m_lanes, copy).times(m_numbers[copy]);
        const auto [first, end] = m_memory.plan().buffers.movedBy(copy);
        base::Bytes bytes = 0;
        for (std::uint32_t at = first; at < end; ++at)
            bytes += m_memory.plan().buffers.buffers()[m_memory.plan().buffers.hostBuffers()[at].from].floats *
                     simulate::kFloatBytes;
        lane.anchored.push_back({times.begin - zero, times.end - zero, bytes, shownAs(m_copies[copy].kind),
                                 m_copies[copy].stage, m_copies[copy].microbatch});
    }
    std::stable_sort(lane.anchored.begin() + static_cast<std::ptrdiff_t>(own), lane.anchored.end(),
                     [](const auto &a, const auto &b) { return a.begin < b.begin; });
}

} // namespace stagelens::runtime
