#include "engine/schedule/list_schedule.h"

#include "engine/schedule/result_rows.h"
#include "engine/schedule/wake_times.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagelens::schedule {

namespace {

using base::Nanos;

constexpr Nanos kUnknown = std::numeric_limits<Nanos>::max();

struct ResultState {
    Nanos end = 0;
    std::int32_t missing = 1;      ///< passes that have yet to begin
    std::int32_t firstWaiter = -1; ///< queue that waits for it (a list through QueueState::nextWaiter)
};

struct QueueState {
    const PassQueue *queue = nullptr;
    int device = 0;
    std::size_t left = 0; ///< passes that have yet to begin
    int rank = 0;
    bool takesMemory = false; ///< the head is a forward
    Nanos ready = 0;          ///< when the head can begin, kUnknown while one of its inputs has not begun
    bool isKnown = false;     ///< `ready` is the present head's
    std::int32_t nextWaiter = -1;
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
    /// When the head of a queue can begin; kUnknown where an input is not known yet, then the queue waits for it.
    Nanos readyTime(std::size_t queue);
    bool await(std::size_t queue, std::size_t result, Nanos latency, Nanos &ready);
    bool awaitInputs(std::size_t queue, const Pass &pass, Nanos &ready);
    void begin(std::size_t queue, Nanos now);
    void record(int device, const Pass &pass, Nanos end);
    [[nodiscard]] std::span<const Pass> headOf(const QueueState &queue) const;
    [[nodiscard]] Nanos durationOf(int device, std::span<const Pass> unit) const;
    [[nodiscard]] std::size_t resultOf(ResultRow row, int microbatch) const
    {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(m_task.microbatches) +
               static_cast<std::size_t>(microbatch);
    }

    const ListTask &m_task;
    const Durations &m_durations;
    DependencyRules m_rules;
    ResultRows m_rows;
    std::vector<int> m_firstStage;
    std::vector<ResultState> m_results;
    std::vector<QueueState> m_queues;
    std::vector<DeviceState> m_devices;
    WakeTimes m_wakes;
    ListOutcome m_outcome;
};

ListScheduler::ListScheduler(const ListTask &task, const Durations &durations)
    : m_task(task), m_durations(durations), m_rules{task.placement.lastStage(), task.vocabulary},
      m_rows(task.placement.stages(), task.placement.devices), m_firstStage(task.placement.firstStages()),
      m_results(m_rows.count() * static_cast<std::size_t>(task.microbatches)), m_devices(task.devices.size()),
      m_wakes(task.devices.size())
{
    for (std::size_t i = 0; i < m_results.size(); ++i)
        m_results[i].missing = m_rows.makersOf(static_cast<ResultRow>(i / static_cast<std::size_t>(task.microbatches)));
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
    Nanos soonest = kUnknown; // of the heads that are known to come, but cannot begin now
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

std::span<const Pass> ListScheduler::headOf(const QueueState &queue) const
{
    const std::span<const Pass> rest = std::span(queue.queue->passes).last(queue.left);
    return rest.first(rest.front().pairedWithNext ? std::min<std::size_t>(2, rest.size()) : 1);
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
    bool isKnown = true;
    for (const Pass &pass : headOf(queue))
        isKnown = isKnown && awaitInputs(at, pass, ready);
    const auto &gates = queue.queue->gates;
    if (isKnown && !gates.empty() && gates[gates.size() - queue.left]) {
        const Pass &gate = *gates[gates.size() - queue.left];
        isKnown = await(at, resultOf(m_rows.of(gate.kind, gate.stage), gate.microbatch), 0, ready);
    }
    queue.isKnown = true;
    queue.ready = isKnown ? ready : kUnknown;
    return queue.ready;
}

bool ListScheduler::awaitInputs(std::size_t queue, const Pass &pass, Nanos &ready)
{
    for (const Requirement &need : requirementsOf(m_rules, pass)) {
        const int replica = m_task.placement.replicaOf(pass.microbatch);
        const bool stays = need.transfer == Transfer::Send &&
                           m_task.placement.deviceOf(need.stage, replica) == m_task.placement.deviceOf(pass.stage, replica);
        const Nanos latency = stays ? 0 : m_durations.transfer(need.transfer);
        if (!await(queue, resultOf(m_rows.of(need.kind, need.stage), pass.microbatch), latency, ready))
            return false;
    }
    return true;
}

bool ListScheduler::await(std::size_t queue, std::size_t result, Nanos latency, Nanos &ready)
{
    ResultState &state = m_results[result];
    if (state.missing > 0) {
        m_queues[queue].nextWaiter = state.firstWaiter;
        state.firstWaiter = static_cast<std::int32_t>(queue);
        return false;
    }
    ready = std::max(ready, state.end + latency);
    return true;
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
    const ResultRow row = m_rows.of(pass.kind, pass.stage);
    if (row == kNoRow)
        return;
    ResultState &result = m_results[resultOf(row, pass.microbatch)];
    result.end = std::max(result.end, end);
    if (--result.missing > 0)
        return;
    for (std::int32_t waiter = result.firstWaiter; waiter >= 0;) {
        QueueState &queue = m_queues[static_cast<std::size_t>(waiter)];
        waiter = queue.nextWaiter;
        queue.isKnown = false;
        wakeAt(queue.device, end);
    }
    result.firstWaiter = -1;
}

} // namespace

ListOutcome listSchedule(const ListTask &task, const Durations &durations)
{
    return ListScheduler(task, durations).run();
}

} // namespace stagelens::schedule
