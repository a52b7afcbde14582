#include "engine/runtime/executor/deadlock_report.h"
#include "engine/runtime/executor/executor.h"
#include "engine/runtime/executor/gang.h"
#include "engine/schedule/devices_in_order.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace stagelens::runtime {
namespace {

using schedule::Pass;

template <class Work>
base::Nanos timed(const Work &work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();
}

/// The virtual clocks of the devices. Chooses the runnable unit with the earliest start.
class DeviceClocks {
public:
    /// `begins`: when each device can run its first pass.
    DeviceClocks(const schedule::Schedule &schedule, std::vector<base::Nanos> begins)
        : m_devices(schedule), m_begins(std::move(begins)), m_ready(size(schedule.devices()))
    {
        for (int device = 0; device < schedule.devices(); ++device)
            updateReady(device);
    }

    struct Choice {
        int device = 0;
        std::span<const Pass> passes;
        base::Nanos ready = 0; ///< when the last of their inputs was computed
        base::Nanos start = 0;
    };
    /// Returns the runnable unit with the earliest start; ties go to the lower device. Returns nothing at the end of the step.
    [[nodiscard]] std::optional<Choice> choose() const
    {
        std::optional<Choice> best;
        for (std::size_t at = 0; at < m_ready.size(); ++at) {
            const int device = static_cast<int>(at);
            const base::Nanos start = std::max(m_ready[at], now(device));
            if (m_ready[at] != kNotYet && (!best || start < best->start))
                best = Choice{device, m_devices.nextUnit(device), m_ready[at], start};
        }
        return best;
    }
    void finish(const Choice &choice, base::Nanos end)
    {
        m_devices.finish(choice.device, end, [this](int device) { updateReady(device); });
        updateReady(choice.device);
    }
    /// Returns the number of passes that each device has run.
    [[nodiscard]] const std::vector<std::size_t> &done() const { return m_devices.done(); }
    [[nodiscard]] base::Nanos now(int device) const { return std::max(m_devices.free(device), m_begins[size(device)]); }

private:
    static constexpr base::Nanos kNotYet = -1;

    void updateReady(int device)
    {
        base::Nanos ready = 0;
        const bool canRun = !m_devices.isDone(device) && m_devices.isReady(device, ready);
        m_ready[size(device)] = canRun ? ready : kNotYet;
    }

    schedule::DevicesInOrder m_devices;
    std::vector<base::Nanos> m_begins;
    std::vector<base::Nanos> m_ready; ///< of each device's next unit; kNotYet if it is not runnable
};

/// The work before or after the passes. Devices begin it as soon as they and those that they exchange with are ready.
class Tails {
public:
    /// `ready` is when each rank can begin the first of it.
    Tails(const RunPlan &plan, const Devices &devices, std::vector<base::Nanos> ready, timeline::Timeline &result)
        : m_plan(plan), m_devices(devices), m_ready(std::move(ready)), m_result(result)
    {}

    base::Result<> run(std::span<const TailWork> tail)
    {
        for (const TailWork &work : tail)
            if (auto done = work.together ? runTogether(work) : runOnDevices(work); !done)
                return done;
        return {};
    }

    /// Returns when each rank has ended all of it.
    [[nodiscard]] const std::vector<base::Nanos> &ready() const { return m_ready; }

private:
    base::Result<> runTogether(const TailWork &work)
    {
        base::Result<> outcome;
        const base::Nanos latest = *std::ranges::max_element(m_ready);
        std::ranges::fill(m_ready, latest + timed([&] { outcome = work.together(); }));
        return outcome;
    }
    base::Result<> runOnDevices(const TailWork &work)
    {
        if (!work.anchored)
            return runRounds(work);
        using layout::Axis;
        const layout::Axes axes = *work.anchored == timeline::AnchoredKind::SumReplicated
                                      ? layout::Axes{Axis::Tensor}
                                      : layout::Axes{Axis::Context, Axis::Data};
        for (const layout::Group &group : m_plan.mesh.groups(axes)) // all ranks are in this process
            if (auto done = runExchange(work, std::vector<std::size_t>(group.ranks.begin(), group.ranks.end())); !done)
                return done;
        return {};
    }
    /// Adds the time of a round on a rank to `spent`.
    base::Result<> runRound(const TailWork &work, std::size_t rank, int round, base::Nanos &spent)
    {
        Device &device = *m_devices[rank];
        base::Result<> outcome;
        device.transport().join(device.place().device); // so that waiting for an unsent message ends
        spent += timed([&] { outcome = work.onDevice(device, round); });
        device.transport().leave(device.place().device);
        return outcome;
    }
    /// Every rank begins a round when all have ended the one before, because it receives what they sent.
    base::Result<> runRounds(const TailWork &work)
    {
        const std::vector<base::Nanos> begins = m_ready;
        for (int round = 0; round < work.rounds; ++round) {
            if (round > 0)
                std::ranges::fill(m_ready, *std::ranges::max_element(m_ready));
            for (std::size_t i = 0; i < m_devices.size(); ++i)
                if (auto done = runRound(work, i, round, m_ready[i]); !done)
                    return done;
        }
        for (std::size_t i = 0; i < m_devices.size(); ++i)
            noteTail(m_result.lanes[i], work, *m_devices[i], begins[i], m_ready[i]);
        return {};
    }
    /// Begins when all ranks of the group are ready, and takes as long as the slowest of them.
    base::Result<> runExchange(const TailWork &work, const std::vector<std::size_t> &group)
    {
        base::Nanos begin = 0;
        for (const std::size_t i : group)
            begin = std::max(begin, m_ready[i]);
        std::vector<base::Nanos> spent(group.size());
        for (int round = 0, rounds = work.roundsOf(*m_devices[group.front()]); round < rounds; ++round) {
            for (std::size_t member = 0; member < group.size(); ++member)
                if (auto done = runRound(work, group[member], round, spent[member]); !done)
                    return done;
        }
        const base::Nanos end = begin + *std::ranges::max_element(spent);
        for (const std::size_t i : group) {
            m_ready[i] = end;
            noteTail(m_result.lanes[i], work, *m_devices[i], begin, end);
        }
        return {};
    }

    const RunPlan &m_plan;
    const Devices &m_devices;
    std::vector<base::Nanos> m_ready;
    timeline::Timeline &m_result;
};

base::Result<> runUnit(const RunPlan &plan, const DeviceClocks::Choice &choice, Gang &gang, const std::stop_token &halt,
                       DeviceClocks &clocks, timeline::Timeline &result)
{
    const std::optional<base::Nanos> copied = gang.begin(choice.passes, clocks.now(choice.device), plan);
    if (!copied)
        return base::Error::cancelled();
    const std::optional<base::Nanos> transfer = gang.receive();
    if (halt.stop_requested())
        return base::Error::cancelled();
    if (!transfer)
        return deadlockError(plan, clocks.done());
    base::Nanos now = std::max({choice.start, choice.ready + *transfer, *copied});
    for (std::size_t i = 0; i < choice.passes.size(); ++i) {
        const base::Result<base::Nanos> duration = gang.compute(i);
        if (halt.stop_requested()) // interrupted kernels leave undefined results
            return base::Error::cancelled();
        if (!duration)
            return duration.error();
        for (const Device *device : gang.devices()) {
            timeline::Lane &lane = result.lanes[size(device->place().rank)];
            lane.push(choice.passes[i], now, now + *duration);
            lane.vocabulary.push_back(schedule::isVocabularyPass(choice.passes[i].kind) ? *duration : device->vocabularyTime());
            device->lastPass().noteProcessor(lane, *duration);
        }
        now += *duration;
    }
    gang.publish();
    clocks.finish(choice, now);
    return {};
}

/// Runs the passes of consecutive replicas, from `first` on, that exchange in them. `times`: when each rank can begin;
/// becomes when each has ended.
base::Result<> runRail(const RunPlan &plan, const Devices &devices, int first, const StepHooks &hooks,
                       const std::stop_token &halt, std::vector<base::Nanos> &times, timeline::Timeline &result)
{
    std::vector<Gang> gangs(size(plan.schedule.devices()));
    std::vector<base::Nanos> begins(gangs.size());
    for (const auto &device : devices) {
        if (device->place().replica < first || device->place().replica >= first + plan.replicasInPasses())
            continue;
        const std::size_t at = size(device->place().device);
        gangs[at].add(*device);
        begins[at] = std::max(begins[at], times[size(device->place().rank)]);
    }
    DeviceClocks clocks(plan.schedule, std::move(begins));
    while (const auto choice = clocks.choose()) {
        Gang &gang = gangs[size(choice->device)];
        if (auto run = runUnit(plan, *choice, gang, halt, clocks, result); !run)
            return run;
        for (std::size_t pass = 0; pass < choice->passes.size() * gang.devices().size(); ++pass)
            hooks.afterPass();
    }
    if (std::accumulate(clocks.done().begin(), clocks.done().end(), std::size_t{0}) != plan.schedule.passCount())
        return deadlockError(plan, clocks.done());
    for (const Gang &gang : gangs)
        gang.noteCopies(result);
    for (const Gang &gang : gangs)
        for (const Device *device : gang.devices())
            times[size(device->place().rank)] = clocks.now(device->place().device);
    return {};
}

base::Result<timeline::Timeline> runStep(const RunPlan &plan, const Devices &devices, const StepHooks &hooks,
                                         const std::stop_token &halt)
{
    timeline::Timeline result;
    result.provenance = timeline::Provenance::MeasuredVirtualClock;
    result.lanes.resize(devices.size());
    Tails heads(plan, devices, std::vector<base::Nanos>(devices.size()), result);
    if (auto head = heads.run(hooks.head); !head)
        return head.error();
    std::vector<base::Nanos> times = heads.ready();
    for (int first = 0; first < plan.replicas(); first += plan.replicasInPasses())
        if (auto run = runRail(plan, devices, first, hooks, halt, times, result); !run)
            return run.error();
    if (auto tails = Tails(plan, devices, std::move(times), result).run(hooks.tail); !tails)
        return tails.error();
    return result;
}

} // namespace

base::Result<timeline::Timeline> runVirtualClock(const RunPlan &plan, const Devices &devices, const StepHooks &hooks,
                                                 const std::stop_token &halt)
{
    // Uses a thread like a live device, so that failures are reported alike.
    base::Result<timeline::Timeline> result = base::Error::cancelled();
    std::stop_source unused;
    const auto work = [&](std::size_t) -> base::Result<> {
        result = runStep(plan, devices, hooks, halt);
        return result ? base::Result<>() : result.error();
    };
    if (auto done = onAllRanks({0}, work, unused); !done)
        return done.error();
    return result;
}

} // namespace stagelens::runtime
