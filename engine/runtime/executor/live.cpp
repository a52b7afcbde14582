#include "engine/runtime/executor/executor.h"

#include "engine/base/exception_text.h"
#include "engine/base/text.h"
#include "engine/runtime/executor/deadlock_report.h"
#include "engine/runtime/executor/unit_of_work.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>

namespace stagelens::runtime {
namespace {

using Clock = std::chrono::steady_clock;

base::Nanos since(Clock::time_point begin)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

base::Nanos steadyTime(Clock::time_point moment)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(moment.time_since_epoch()).count();
}

base::Result<> guarded(const std::function<base::Result<>(std::size_t)> &work, std::size_t index, int rank)
{
    try {
        return work(index);
    } catch (const std::bad_alloc &) {
        return base::Error::failed(base::concat("device ", rank,
                                                " ran out of memory; lower model.hidden, "
                                                "model.sequence or parallel.microbatch_size"));
    } catch (const std::exception &error) {
        return base::Error::failed(base::concat("device ", rank, " stopped: ", base::exceptionText(error)));
    }
}

base::Result<> runPasses(const RunPlan &plan, Device &device, int rank, const StepHooks &hooks, timeline::Lane &lane,
                         Clock::time_point begin, const std::stop_token &halt)
{
    const base::Nanos zero = steadyTime(begin);
    for (std::span<const schedule::Pass> rest = plan.schedule.device(rank); !rest.empty();) {
        const std::span<const schedule::Pass> passes = unitOf(rest);
        rest = rest.subspan(passes.size());
        UnitOfWork unit(device, passes);
        if (!unit.receive())
            return base::Error::cancelled();
        for (std::size_t i = 0; i < passes.size(); ++i) {
            const base::Result<> computed = unit.compute(i);
            if (halt.stop_requested()) // interrupted kernels leave undefined results
                return base::Error::cancelled();
            if (!computed)
                return computed;
            const Device::Span &span = device.lastPass();
            lane.push(passes[i], span.begin - zero, span.end - zero);
            lane.vocabulary.push_back(schedule::isVocabularyPass(passes[i].kind) ? span.end - span.begin
                                                                                 : device.vocabularyTime());
        }
        unit.publish();
        for (std::size_t i = 0; i < passes.size(); ++i)
            hooks.afterPass();
    }
    return {};
}

void runTail(Device &device, const StepHooks &hooks, timeline::Lane &lane, Clock::time_point begin)
{
    lane.tailBegin = since(begin);
    hooks.optimize(device);
    lane.tailEnd = since(begin);
}

std::vector<std::size_t> passesOf(const timeline::Timeline &timeline)
{
    std::vector<std::size_t> counts;
    for (const timeline::Lane &lane : timeline.lanes)
        counts.push_back(lane.size());
    return counts;
}

} // namespace

base::Result<> onAllRanks(const std::vector<int> &ranks, const std::function<base::Result<>(std::size_t)> &work,
                          std::stop_source halt)
{
    // The first failure is the cause: a failing GPU fails every device on it.
    base::Result<> cause;
    std::mutex mutex;
    const auto note = [&](base::Result<> outcome) {
        if (outcome)
            return;
        {
            const std::scoped_lock lock(mutex);
            if (cause ||
                (cause.error().kind == base::ErrorKind::Cancelled && outcome.error().kind != base::ErrorKind::Cancelled))
                cause = std::move(outcome);
        }
        halt.request_stop();
    };
    {
        std::vector<std::jthread> threads;
        const auto start = [&](std::size_t i) -> base::Result<> {
            threads.emplace_back([&, i] { note(guarded(work, i, ranks[i])); });
            return {};
        };
        base::Result<> started;
        for (std::size_t i = 0; i < ranks.size() && started; ++i)
            started = guarded(start, i, ranks[i]);
        note(started); // the running threads would wait for one that the system refused to create
    }
    return cause;
}

base::Result<timeline::Timeline> runLive(const RunPlan &plan, const Devices &devices, const StepHooks &hooks,
                                         std::stop_source halt, Clock::time_point begin)
{
    timeline::Timeline result;
    result.provenance = timeline::Provenance::MeasuredLive;
    result.lanes.resize(devices.size());
    const bool tailAtOnce = hooks.optimize && !hooks.beforeOptimizer;
    std::vector<int> ranks;
    for (const auto &device : devices) {
        ranks.push_back(device->rank());
        device->transport().join(device->rank());
    }
    const auto passes = [&](std::size_t index) -> base::Result<> {
        Device &device = *devices[index];
        timeline::Lane &lane = result.lanes[index];
        lane.reserve(plan.schedule.device(device.rank()).size());
        auto done = runPasses(plan, device, device.rank(), hooks, lane, begin, halt.get_token());
        device.transport().leave(device.rank());
        if (done && tailAtOnce)
            runTail(device, hooks, lane, begin);
        if (done && (tailAtOnce || !hooks.optimize))
            device.correctTimes(lane, steadyTime(begin));
        return done;
    };
    if (auto done = onAllRanks(ranks, passes, halt); !done) {
        const bool isDeadlocked = devices.front()->transport().isDeadlocked();
        return isDeadlocked && done.error().kind == base::ErrorKind::Cancelled ? deadlockError(plan, passesOf(result))
                                                                               : done.error();
    }
    if (hooks.beforeOptimizer)
        if (auto done = hooks.beforeOptimizer(); !done)
            return done.error();
    if (hooks.optimize && !tailAtOnce) {
        const auto tails = [&](std::size_t index) -> base::Result<> {
            runTail(*devices[index], hooks, result.lanes[index], begin);
            devices[index]->correctTimes(result.lanes[index], steadyTime(begin));
            return {};
        };
        if (auto done = onAllRanks(ranks, tails, halt); !done)
            return done.error();
    }
    return result;
}

} // namespace stagelens::runtime
