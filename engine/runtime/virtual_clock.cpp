#include "engine/runtime/deadlock_report.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/unit_of_work.h"
#include "engine/schedule/dependencies.h"
#include "engine/schedule/pass_index.h"

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

/// The devices' clocks, and when each pass ended on them.
class Clocks {
public:
    explicit Clocks(const schedule::Schedule &schedule)
        : m_schedule(schedule), m_index(schedule), m_end(schedule.passCount(), kNotYet), m_next(size(schedule.devices())),
          m_now(size(schedule.devices()))
    {
        for (int device = 0; device < schedule.devices(); ++device)
            for (std::size_t i = 0; i < schedule.device(device).size(); ++i)
                m_index.add(schedule.device(device)[i], device, schedule.firstIndex(device) + i);
    }

    struct Choice {
        int device = 0;
        std::span<const Pass> passes;
        base::Nanos ready = 0; ///< when all they need had been made
        base::Nanos start = 0;
    };
    /// The runnable passes with the least start; of equals those of the first device. Nothing at the step's end.
    [[nodiscard]] std::optional<Choice> choose() const
    {
        std::optional<Choice> best;
        for (int device = 0; device < m_schedule.devices(); ++device) {
            const std::size_t next = m_next[size(device)];
            if (next == m_schedule.device(device).size())
                continue;
            const std::span<const Pass> passes = unitOf(m_schedule.device(device).subspan(next));
            const base::Nanos ready = readyTime(passes);
            if (ready == kNotYet)
                continue;
            const base::Nanos start = std::max(ready, m_now[size(device)]);
            if (!best || start < best->start)
                best = Choice{device, passes, ready, start};
        }
        return best;
    }
    void finish(const Choice &choice, base::Nanos end)
    {
        std::size_t &next = m_next[size(choice.device)];
        for (std::size_t i = 0; i < choice.passes.size(); ++i)
            m_end[m_schedule.firstIndex(choice.device) + next++] = end;
        m_now[size(choice.device)] = end;
    }
    /// Passes that each device has carried out.
    [[nodiscard]] const std::vector<std::size_t> &done() const { return m_next; }
    [[nodiscard]] base::Nanos now(int device) const { return m_now[size(device)]; }
    [[nodiscard]] base::Nanos latest() const { return *std::max_element(m_now.begin(), m_now.end()); }

private:
    static constexpr base::Nanos kNotYet = -1;

    [[nodiscard]] base::Nanos endOf(schedule::PassKind kind, int unit, int microbatch) const
    {
        const std::uint32_t number = m_index.at(kind, unit, microbatch);
        return number == schedule::PassIndex::kAbsent ? kNotYet : m_end[number];
    }
    [[nodiscard]] base::Nanos readyTime(std::span<const Pass> passes) const
    {
        base::Nanos ready = 0;
        for (const Pass &pass : passes) {
            const base::Nanos own = readyTime(pass);
            if (own == kNotYet)
                return kNotYet;
            ready = std::max(ready, own);
        }
        return ready;
    }
    [[nodiscard]] base::Nanos readyTime(const Pass &pass) const
    {
        base::Nanos ready = 0;
        for (const schedule::Requirement &need : schedule::requirementsOf(m_schedule, pass)) {
            const int first = need.allDevices ? 0 : need.stage;
            const int last = need.allDevices ? m_schedule.devices() - 1 : need.stage;
            for (int unit = first; unit <= last; ++unit) {
                const base::Nanos end = endOf(need.kind, unit, pass.microbatch);
                if (end == kNotYet)
                    return kNotYet;
                ready = std::max(ready, end);
            }
        }
        return ready;
    }

    const schedule::Schedule &m_schedule;
    schedule::PassIndex m_index;
    std::vector<base::Nanos> m_end; ///< by number of the pass
    std::vector<std::size_t> m_next;
    std::vector<base::Nanos> m_now;
};

base::Result<> runTails(const Devices &devices, const StepHooks &hooks, const Clocks &clocks, timeline::Timeline &result)
{
    base::Nanos shared = 0;
    if (hooks.together) {
        base::Result<> outcome;
        shared = clocks.latest() + timed([&] { outcome = hooks.together(); });
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

base::Result<> runUnit(const RunPlan &plan, const Clocks::Choice &choice, Device &device, const std::stop_token &halt,
                       Clocks &clocks, timeline::Lane &lane)
{
    UnitOfWork unit(device, choice.passes);
    bool received = false;
    device.transport().join(choice.device); // alone: what it waits for, nobody will send
    const base::Nanos transfer = timed([&] { received = unit.receive(); });
    device.transport().leave(choice.device);
    if (halt.stop_requested())
        return base::Error::cancelled();
    if (!received)
        return deadlockError(plan, clocks.done());
    base::Nanos now = std::max(choice.start, choice.ready + transfer);
    for (std::size_t i = 0; i < choice.passes.size(); ++i) {
        const base::Result<> computed = unit.compute(i);
        if (halt.stop_requested()) // what the kernels left is worthless then
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
    Clocks clocks(plan.schedule);
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
    // On a thread of its own like a live device, so that failures are answered alike.
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
