#include "engine/schedule/order/list_schedule.h"

#include "engine/passes/frontier.h"
#include "engine/schedule/order/wake_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

namespace stagelens::schedule {

namespace {

using base::Nanos;

constexpr Nanos kUnknown = std::numeric_limits<Nanos>::max();

struct QueueState {
    const PassQueue *queue = nullptr;
    int device = 0;
    std::size_t left = 0; ///< passes that have yet to begin
    int rank = 0;
    bool takesMemory = false; ///< the head is a forward
    Nanos ready = 0;          ///< when the head can begin, kUnknown while one of its inputs has not begun
    bool isKnown = false;     ///< `ready` is the present head's
};

struct DeviceState {
    std::size_t firstQueue = 0;
    std::size_t endQueue = 0;
    Nanos free = 0;
    std::int64_t room = 0; ///< activations that still fit
};

class ListScheduler {
public:
    ListScheduler(const ListTask &task, const Durations &durations);
    ListOutcome run();

private:
    void wakeAt(int device, Nanos time);
    void look(int device, Nanos now);
    /// Returns when the head of a queue can begin. Returns kUnknown if an input is not scheduled yet; the queue then waits for
    /// it.
    Nanos readyTime(std::size_t queue);
    void begin(std::size_t queue, Nanos now);
    void record(int device, const Pass &pass, Nanos end);
    [[nodiscard]] static std::span<const Pass> headOf(const QueueState &queue)
    {
        return unitOf(std::span(queue.queue->passes).last(queue.left));
    }
    [[nodiscard]] Nanos durationOf(int device, std::span<const Pass> unit) const;

    const ListTask &m_task;
    const Durations &m_durations;
    std::vector<int> m_firstStage;
    std::vector<QueueState> m_queues;
    std::vector<DeviceState> m_devices;
    WakeTimes m_wakes;
    std::optional<Frontier> m_frontier; ///< its waiters are queues
    ListOutcome m_outcome;
};

RequirementTable requirementsOf(const ListTask &task, const Durations &durations)
{
    return {task.placement, task.vocabulary, [&durations](Transfer transfer, int from, int to) {
                return transfer == Transfer::Send && from == to ? 0 : durations.transfer(transfer);
            }};
}

ListScheduler::ListScheduler(const ListTask &task, const Durations &durations)
    : m_task(task), m_durations(durations), m_firstStage(task.placement.firstStages()), m_devices(task.devices.size()),
      m_wakes(task.devices.size())
{
    m_outcome.devices.resize(task.devices.size());
    m_outcome.ends.resize(task.devices.size());
    for (std::size_t device = 0; device < task.devices.size(); ++device) {
        m_devices[device].firstQueue = m_queues.size();
        m_devices[device].room = task.devices[device].memoryLimit;
        std::size_t passes = 0;
        for (const PassQueue &queue : task.devices[device].queues) {
            const bool takesMemory = !queue.passes.empty() && queue.passes.front().kind == PassKind::F;
            m_queues.push_back({&queue, static_cast<int>(device), queue.passes.size(), queue.rank, takesMemory});
            passes += queue.passes.size();
        }
        m_devices[device].endQueue = m_queues.size();
        m_outcome.devices[device].reserve(passes);
        m_outcome.ends[device].reserve(passes);
        wakeAt(static_cast<int>(device), 0);
    }
    m_frontier.emplace(requirementsOf(task, durations), task.placement, task.microbatches, m_queues.size());
}

ListOutcome ListScheduler::run()
{
    while (const auto wake = m_wakes.take())
        look(static_cast<int>(wake->second), wake->first);
    m_outcome.isComplete = std::ranges::all_of(m_queues, [](const QueueState &queue) { return queue.left == 0; });
    for (const DeviceState &device : m_devices)
        m_outcome.makespan = std::max(m_outcome.makespan, device.free);
    return std::move(m_outcome);
}

void ListScheduler::wakeAt(int device, Nanos time)
{
    const auto at = static_cast<std::size_t>(device);
    m_wakes.wakeAt(at, std::max(time, m_devices[at].free));
}

void ListScheduler::look(int device, Nanos now)
{
    const DeviceState &state = m_devices[static_cast<std::size_t>(device)];
    std::size_t best = m_queues.size();
    Nanos soonest = kUnknown; // of the heads whose ready time is known but in the future
    for (std::size_t i = state.firstQueue; i < state.endQueue; ++i) {
        const QueueState &queue = m_queues[i];
        if (queue.left == 0 || (queue.takesMemory && state.room <= 0))
            continue;
        const Nanos ready = readyTime(i);
        if (ready > now)
            soonest = std::min(soonest, ready);
        else if (best == m_queues.size() || queue.rank < m_queues[best].rank)
            best = i;
    }
    const bool mustWait = best != m_queues.size() && m_queues[best].queue->fillsGaps && soonest != kUnknown &&
                          now + durationOf(device, headOf(m_queues[best])) > soonest;
    if (best != m_queues.size() && !mustWait)
        begin(best, now);
    else if (soonest != kUnknown)
        wakeAt(device, soonest);
}

Nanos ListScheduler::durationOf(int device, std::span<const Pass> unit) const
{
    Nanos duration = 0;
    for (const Pass &pass : unit)
        duration += m_durations.pass(pass.kind, isVocabularyPass(pass.kind) ? m_firstStage[static_cast<std::size_t>(device)]
                                                                            : int{pass.stage});
    return unit.size() == 1 ? duration : std::llround(static_cast<double>(duration) * m_durations.pairScale);
}

Nanos ListScheduler::readyTime(std::size_t at)
{
    QueueState &queue = m_queues[at];
    if (queue.isKnown)
        return queue.ready;
    Nanos ready = 0;
    bool isKnown = m_frontier->isReady(at, headOf(queue), ready);
    const auto &gates = queue.queue->gates;
    if (isKnown && !gates.empty())
        if (const std::optional<Pass> &gate = gates[gates.size() - queue.left])
            isKnown =
                m_frontier->arrives(at, m_frontier->resultOf(m_frontier->needsOf(*gate).result, gate->microbatch), 0, ready);
    queue.isKnown = true;
    queue.ready = isKnown ? ready : kUnknown;
    return queue.ready;
}

void ListScheduler::begin(std::size_t at, Nanos now)
{
    QueueState &queue = m_queues[at];
    const std::span<const Pass> unit = headOf(queue);
    DeviceState &device = m_devices[static_cast<std::size_t>(queue.device)];
    device.free = now + durationOf(queue.device, unit);
    queue.left -= unit.size();
    queue.takesMemory = queue.left > 0 && headOf(queue).front().kind == PassKind::F;
    queue.isKnown = false;
    wakeAt(queue.device, device.free);
    for (const Pass &pass : unit)
        record(queue.device, pass, device.free);
}

void ListScheduler::record(int device, const Pass &pass, Nanos end)
{
    m_outcome.devices[static_cast<std::size_t>(device)].push_back(pass);
    m_outcome.ends[static_cast<std::size_t>(device)].push_back(end);
    m_devices[static_cast<std::size_t>(device)].room -= activationChange(pass.kind);
    m_frontier->complete(pass, end, [&](std::size_t waiter) {
        m_queues[waiter].isKnown = false;
        wakeAt(m_queues[waiter].device, end);
    });
}

} // namespace

ListOutcome listSchedule(const ListTask &task, const Durations &durations)
{
    return ListScheduler(task, durations).run();
}

} // namespace stagelens::schedule
