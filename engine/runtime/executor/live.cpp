#include "engine/runtime/executor/executor.h"

#include "engine/base/exception_text.h"
#include "engine/base/text.h"
#include "engine/runtime/executor/deadlock_report.h"
#include "engine/runtime/executor/unit_of_work.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <new>
#include <numeric>
#include <span>
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
        return base::Error::failed(
            fmt::format("device {} ran out of memory; lower model.hidden, model.sequence or parallel.microbatch_size", rank));
    } catch (const std::exception &error) {
        return base::Error::failed(fmt::format("device {} stopped: {}", rank, base::exceptionText(error)));
    }
}

/// Runs the units of the device in the order of the schedule. Blocks in receive() until the other devices have sent.
base::Result<> runPasses(const RunPlan &plan, Device &device, const StepHooks &hooks, timeline::Lane &lane,
                         Clock::time_point begin, const std::stop_token &halt)
{
    const base::Nanos zero = steadyTime(begin);
    device.hostCopies().copyBeside(halt);
    device.layerWeights().copyBeside(halt);
    for (std::span<const schedule::Pass> rest = plan.schedule.device(device.place().device); !rest.empty();) {
        const std::span<const schedule::Pass> passes = unitOf(rest);
        rest = rest.subspan(passes.size());
        UnitOfWork unit(device, passes);
        if (!unit.begin() || !unit.receive())
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
            span.noteProcessor(lane, span.end - span.begin);
        }
        unit.publish();
        for (std::size_t i = 0; i < passes.size(); ++i)
            hooks.afterPass();
    }
    device.hostCopies().note(lane, zero);
    return {};
}

base::Result<> runTail(Device &device, std::span<const TailWork> tail, timeline::Lane &lane, Clock::time_point begin)
{
    for (const TailWork &work : tail) {
        const base::Nanos from = since(begin);
        for (int round = 0, rounds = work.roundsOf(device); round < rounds; ++round)
            if (auto done = work.onDevice(device, round); !done)
                return done;
        noteTail(lane, work, device, from, since(begin));
    }
    return {};
}

/// Returns how many of the first pieces of work are of single devices.
std::size_t ownWork(std::span<const TailWork> tail)
{
    return static_cast<std::size_t>(std::ranges::find_if(tail, [](const TailWork &work) { return bool(work.together); }) -
                                    tail.begin());
}

/// Returns the passes that each device of a replica has run, of the first one that has not run all.
std::vector<std::size_t> passesOf(const RunPlan &plan, const Devices &devices, const timeline::Timeline &timeline)
{
    std::vector<std::size_t> counts;
    for (int replica = 0; replica < plan.replicas(); ++replica) {
        counts.clear();
        for (std::size_t i = 0; i < devices.size(); ++i)
            if (isOfFirstRail(devices[i]->place(), replica))
                counts.push_back(timeline.lanes[i].size());
        if (std::accumulate(counts.begin(), counts.end(), std::size_t{0}) < plan.schedule.passCount())
            break;
    }
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

void noteTail(timeline::Lane &lane, const TailWork &work, const Device &device, base::Nanos begin, base::Nanos end)
{
    if (work.anchored) {
        lane.anchored.push_back({begin, end, device.bytesSent(*work.anchored), *work.anchored});
    } else {
        lane.tailBegin = begin;
        lane.tailEnd = end;
    }
}

base::Result<timeline::Timeline> runLive(const RunPlan &plan, const Devices &devices, const StepHooks &hooks,
                                         std::stop_source halt, Clock::time_point begin)
{
    timeline::Timeline result;
    result.provenance = timeline::Provenance::MeasuredLive;
    result.lanes.resize(devices.size());
    std::vector<int> ranks;
    for (const auto &device : devices)
        ranks.push_back(device->place().rank);
    // Runs the passes, if there are any left, and then each device's own work, on a thread for each device.
    const auto runPart = [&](bool hasPasses, std::span<const TailWork> own, bool isLast) {
        for (const auto &device : devices)
            device->transport().join(device->place().device);
        return onAllRanks(
            ranks,
            [&](std::size_t index) -> base::Result<> {
                Device &device = *devices[index];
                timeline::Lane &lane = result.lanes[index];
                base::Result<> done;
                if (hasPasses) {
                    lane.reserve(plan.schedule.device(device.place().device).size());
                    done = runTail(device, hooks.head, lane, begin);
                }
                if (hasPasses && done)
                    done = runPasses(plan, device, hooks, lane, begin, halt.get_token());
                if (done)
                    done = runTail(device, own, lane, begin);
                device.transport().leave(device.place().device);
                if (done && isLast)
                    device.correctTimes(lane, steadyTime(begin));
                return done;
            },
            halt);
    };
    std::span<const TailWork> rest = hooks.tail;
    for (bool hasPasses = true; hasPasses || !rest.empty(); hasPasses = false) {
        const std::span<const TailWork> own = rest.first(ownWork(rest));
        rest = rest.subspan(own.size());
        const bool isLast = std::ranges::all_of(rest, [](const TailWork &work) { return bool(work.together); });
        if (hasPasses || !own.empty())
            if (auto done = runPart(hasPasses, own, isLast); !done)
                return devices.front()->transport().isDeadlocked() && done.error().kind == base::ErrorKind::Cancelled
                           ? deadlockError(plan, passesOf(plan, devices, result))
                           : done.error();
        for (; !rest.empty() && rest.front().together; rest = rest.subspan(1))
            if (auto done = rest.front().together(); !done)
                return done.error();
    }
    return result;
}

} // namespace stagelens::runtime
