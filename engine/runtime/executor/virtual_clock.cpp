#include "engine/runtime/executor/deadlock_report.h"
#include "engine/runtime/executor/executor.h"
#include "engine/runtime/executor/unit_of_work.h"
#include "engine/schedule/devices_in_order.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>

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
    explicit DeviceClocks(const schedule::Schedule &schedule) : m_devices(schedule), m_ready(size(schedule.devices()))
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
    [[nodiscard]] base::Nanos now(int device) const { return m_devices.free(device); }
    [[nodiscard]] base::Nanos latest() const
    {
        base::Nanos latest = 0;
        for (int device = 0; device < static_cast<int>(m_ready.size()); ++device)
            latest = std::max(latest, now(device));
        return latest;
    }

private:
    static constexpr base::Nanos kNotYet = -1;

    void updateReady(int device)
    {
        base::Nanos ready = 0;
        const bool canRun = !m_devices.isDone(device) && m_devices.isReady(device, ready);
        m_ready[size(device)] = canRun ? ready : kNotYet;
    }

    schedule::DevicesInOrder m_devices;
    std::vector<base::Nanos> m_ready; ///< of each device's next unit; kNotYet if it is not runnable
};

base::Result<> runTails(const Devices &devices, const StepHooks &hooks, const DeviceClocks &clocks, timeline::Timeline &result)
{
    base::Nanos shared = 0;
    if (hooks.beforeOptimizer) {
        base::Result<> outcome;
        shared = clocks.latest() + timed([&] { outcome = hooks.beforeOptimizer(); });
        if (!outcome)
            return outcome;
    }
    for (std::size_t rank = 0; hooks.optimize && rank < devices.size(); ++rank) {
        timeline::Lane &lane = result.lanes[rank];
        lane.tailBegin = std::max(shared, clocks.now(static_cast<int>(rank)));
        lane.tailEnd = lane.tailBegin + timed([&] { hooks.optimize(*devices[rank]); });
    }
    return {};
}

base::Result<> runUnit(const RunPlan &plan, const DeviceClocks::Choice &choice, Device &device, const std::stop_token &halt,
                       DeviceClocks &clocks, timeline::Lane &lane)
{
    UnitOfWork unit(device, choice.passes);
    bool received = false;
    device.transport().join(choice.device); // the only participant: waiting for an unsent message is a deadlock
    const base::Nanos transfer = timed([&] { received = unit.receive(); });
    device.transport().leave(choice.device);
    if (halt.stop_requested())
        return base::Error::cancelled();
    if (!received)
        return deadlockError(plan, clocks.done());
    base::Nanos now = std::max(choice.start, choice.ready + transfer);
    for (std::size_t i = 0; i < choice.passes.size(); ++i) {
        const base::Result<> computed = unit.compute(i);
        if (halt.stop_requested()) // interrupted kernels leave undefined results
            return base::Error::cancelled();
        if (!computed)
            return computed.error();
        const base::Nanos duration = device.lastPass().end - device.lastPass().begin;
        lane.push(choice.passes[i], now, now + duration);
        lane.vocabulary.push_back(schedule::isVocabularyPass(choice.passes[i].kind) ? duration : device.vocabularyTime());
        now += duration;
    }
    unit.publish();
    clocks.finish(choice, now);
    return {};
}

base::Result<timeline::Timeline> runStep(const RunPlan &plan, const Devices &devices, const StepHooks &hooks,
                                         const std::stop_token &halt)
{
    timeline::Timeline result;
    result.provenance = timeline::Provenance::MeasuredVirtualClock;
    result.lanes.resize(devices.size());
    DeviceClocks clocks(plan.schedule);
    while (const auto choice = clocks.choose()) {
        if (auto run = runUnit(plan, *choice, *devices[size(choice->device)], halt, clocks, result.lanes[size(choice->device)]);
            !run)
            return run.error();
        for (std::size_t i = 0; i < choice->passes.size(); ++i)
            hooks.afterPass();
    }
    if (std::accumulate(clocks.done().begin(), clocks.done().end(), std::size_t{0}) != plan.schedule.passCount())
        return deadlockError(plan, clocks.done());
    if (auto tails = runTails(devices, hooks, clocks, result); !tails)
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
