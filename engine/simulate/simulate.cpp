#include "engine/simulate/simulate.h"

#include "engine/base/text.h"
#include "engine/simulate/wait_plan.h"

#include <algorithm>
#include <cmath>

namespace stagelens::simulate {

using base::Nanos;
using schedule::Pass;
using schedule::PassKind;

namespace {

/// When a result was complete; before that, the first of the devices that wait for it (a list through DeviceState::nextWaiter).
/// One word, for there are as many of them as passes.
class ResultState {
public:
    [[nodiscard]] bool isComplete() const { return m_word >= 0; }
    [[nodiscard]] Nanos end() const { return m_word; }
    /// -1: nobody.
    [[nodiscard]] std::int32_t firstWaiter() const { return static_cast<std::int32_t>(-m_word - 2); }
    void setFirstWaiter(std::int32_t device) { m_word = -Nanos{device} - 2; }
    void complete(Nanos end) { m_word = end; }

private:
    Nanos m_word = -1;
};

/// A result of all devices in the making.
struct SharedState {
    Nanos end = 0;
    int missing = 0; ///< passes that have yet to end
};

struct DeviceState {
    std::size_t next = 0; ///< position of the pass to run
    Nanos free = 0;
    std::size_t awaited = kNothing; ///< result that the device waits for
    std::size_t barrier = kNothing; ///< blocking collectives: result that must be complete before the next pass
    Nanos barrierLatency = 0;
    std::int32_t nextWaiter = -1;
    static constexpr std::size_t kNothing = static_cast<std::size_t>(-1);
};

/// One simulation: each device runs until it waits for a result; the result's completion wakes it.
class Simulation {
public:
    Simulation(const schedule::Schedule &schedule, const CostModel &costs);
    base::Result<timeline::Timeline> run();

private:
    void runDevice(int device);
    /// Earliest start of a pass, or nothing where it must wait; then the device is in the result's list of waiters.
    bool readyTime(int device, const Pass &pass, Nanos &ready);
    bool passBarrier(int device, Nanos &ready);
    void waitFor(int device, std::size_t result);
    void addVocabulary();
    void complete(int device, const Pass &pass, Nanos end);
    [[nodiscard]] Nanos inPair(Nanos own) const { return std::llround(static_cast<double>(own) * m_costs.pairScale); }
    void runPair(int device, const Pass &first, const Pass &second, Nanos ready);
    [[nodiscard]] const PassPlan &planOf(const Pass &pass) const
    {
        return m_plan.plan(pass.kind, pass.stage, m_schedule.placement().replicaOf(pass.microbatch));
    }
    [[nodiscard]] std::size_t resultOf(ResultRow row, int microbatch) const
    {
        return static_cast<std::size_t>(row) * m_microbatches + static_cast<std::size_t>(microbatch);
    }
    [[nodiscard]] base::Result<> checkPasses() const;
    [[nodiscard]] bool runsLater(int device, const Pass &pass) const;
    [[nodiscard]] int deviceThatOwes(std::size_t result) const;
    [[nodiscard]] Pass passThatMakes(std::size_t result) const;
    [[nodiscard]] base::Error deadlock() const;

    const schedule::Schedule &m_schedule;
    const CostModel &m_costs;
    WaitPlan m_plan;
    std::size_t m_microbatches;
    std::vector<ResultState> m_results;
    std::size_t m_firstShared; ///< results from here on are of all devices
    std::vector<SharedState> m_shared;
    std::vector<DeviceState> m_devices;
    std::vector<int> m_runnable;
    timeline::Timeline m_timeline;
    bool m_tooLong = false;
};

Simulation::Simulation(const schedule::Schedule &schedule, const CostModel &costs)
    : m_schedule(schedule), m_costs(costs), m_plan(schedule, costs),
      m_microbatches(static_cast<std::size_t>(schedule.microbatches())), m_results(m_plan.rows().count() * m_microbatches),
      m_firstShared(2 * static_cast<std::size_t>(schedule.stages()) * m_microbatches),
      m_shared(model::isSharded(schedule.vocabulary()) ? m_results.size() - m_firstShared : 0, {0, schedule.devices()}),
      m_devices(static_cast<std::size_t>(schedule.devices()))
{
    m_timeline.lanes.resize(m_devices.size());
    for (int device = schedule.devices() - 1; device >= 0; --device) {
        m_timeline.lanes[static_cast<std::size_t>(device)].reserve(schedule.device(device).size());
        m_runnable.push_back(device);
    }
}

base::Result<> Simulation::checkPasses() const
{
    for (int device = 0; device < m_schedule.devices(); ++device) {
        for (const Pass &pass : m_schedule.device(device)) {
            if (pass.microbatch >= 0 && pass.microbatch < m_schedule.microbatches() && pass.stage < m_schedule.stages() &&
                pass.kind != PassKind::O)
                continue;
            return base::Error::failed(base::concat("device ", device, " has the pass ", schedule::text(pass),
                                                    ", which a schedule of ", m_schedule.stages(), " stages and ",
                                                    m_schedule.microbatches(), " microbatches cannot have; run validate"));
        }
    }
    return {};
}

base::Result<timeline::Timeline> Simulation::run()
{
    if (const base::Result<> checked = checkPasses(); !checked)
        return checked.error();
    while (!m_runnable.empty() && !m_tooLong) {
        const int device = m_runnable.back();
        m_runnable.pop_back();
        runDevice(device);
    }
    if (m_tooLong)
        return base::Error::invalid("cost",
                                    "an iteration would take more than 11 days; lower the durations or the microbatches");
    for (int device = 0; device < m_schedule.devices(); ++device) {
        const DeviceState &state = m_devices[static_cast<std::size_t>(device)];
        if (state.next < m_schedule.device(device).size())
            return deadlock();
        if (const Nanos optimizer = m_costs.optimizer(device); optimizer > 0) {
            timeline::Lane &lane = m_timeline.lanes[static_cast<std::size_t>(device)];
            lane.tailBegin = state.free;
            lane.tailEnd = state.free + optimizer;
        }
        m_timeline.stages.push_back(m_schedule.placement().stagesOf(device));
    }
    m_timeline.microbatchReplica = m_schedule.placement().microbatchReplica;
    if (m_costs.vocabularyKnown)
        addVocabulary();
    return std::move(m_timeline);
}

void Simulation::runDevice(int device)
{
    const std::span<const Pass> passes = m_schedule.device(device);
    DeviceState &state = m_devices[static_cast<std::size_t>(device)];
    while (state.next < passes.size()) {
        const Pass &pass = passes[state.next];
        const bool paired = pass.pairedWithNext && state.next + 1 < passes.size();
        Nanos ready = state.free;
        if (!passBarrier(device, ready) || !readyTime(device, pass, ready))
            return;
        if (paired && !readyTime(device, passes[state.next + 1], ready))
            return;
        state.next += paired ? 2 : 1;
        if (paired) {
            runPair(device, pass, passes[state.next - 1], ready);
        } else {
            state.free = ready + m_costs.pass(device, pass.kind, pass.stage).duration;
            m_timeline.lanes[static_cast<std::size_t>(device)].push(pass, ready, state.free);
            complete(device, pass, state.free);
        }
        if (state.free > base::kLongestPass) {
            m_tooLong = true;
            return;
        }
    }
}

void Simulation::runPair(int device, const Pass &first, const Pass &second, Nanos ready)
{
    const Nanos middle = ready + inPair(m_costs.pass(device, first.kind, first.stage).duration);
    const Nanos end = middle + inPair(m_costs.pass(device, second.kind, second.stage).duration);
    timeline::Lane &lane = m_timeline.lanes[static_cast<std::size_t>(device)];
    lane.push(first, ready, middle);
    lane.push(second, middle, end);
    m_devices[static_cast<std::size_t>(device)].free = end;
    complete(device, first, end);
    complete(device, second, end);
}

bool Simulation::passBarrier(int device, Nanos &ready)
{
    DeviceState &state = m_devices[static_cast<std::size_t>(device)];
    if (state.barrier == DeviceState::kNothing)
        return true;
    const ResultState &result = m_results[state.barrier];
    if (!result.isComplete()) {
        waitFor(device, state.barrier);
        return false;
    }
    ready = std::max(ready, result.end() + state.barrierLatency);
    return true;
}

bool Simulation::readyTime(int device, const Pass &pass, Nanos &ready)
{
    const PassPlan &plan = planOf(pass);
    for (std::uint32_t i = 0; i < plan.waitCount; ++i) {
        const Wait &wait = plan.waits[i];
        const std::size_t at = resultOf(wait.row, pass.microbatch);
        const ResultState &result = m_results[at];
        if (!result.isComplete()) {
            waitFor(device, at);
            return false;
        }
        ready = std::max(ready, result.end() + wait.latency);
    }
    return true;
}

void Simulation::waitFor(int device, std::size_t result)
{
    DeviceState &state = m_devices[static_cast<std::size_t>(device)];
    state.awaited = result;
    state.nextWaiter = m_results[result].firstWaiter();
    m_results[result].setFirstWaiter(device);
}

/// Once the results are no longer needed: a large simulation holds one or the other.
void Simulation::addVocabulary()
{
    std::vector<ResultState>().swap(m_results);
    std::vector<SharedState>().swap(m_shared);
    for (std::size_t device = 0; device < m_timeline.lanes.size(); ++device) {
        timeline::Lane &lane = m_timeline.lanes[device];
        lane.vocabulary.reserve(lane.size());
        for (std::size_t i = 0; i < lane.size(); ++i) {
            const Nanos own = m_costs.pass(static_cast<int>(device), lane.pass[i].kind, lane.pass[i].stage).vocabulary;
            lane.vocabulary.push_back(timeline::isPaired(lane, i) ? inPair(own) : own);
        }
    }
}

void Simulation::complete(int device, const Pass &pass, Nanos end)
{
    const PassPlan &plan = planOf(pass);
    if (plan.result == kNoRow)
        return;
    const std::size_t at = resultOf(plan.result, pass.microbatch);
    DeviceState &state = m_devices[static_cast<std::size_t>(device)];
    if (m_plan.blocks() && plan.collective.latency >= 0) {
        state.barrier = at;
        state.barrierLatency = plan.collective.latency;
    }
    if (at >= m_firstShared && !m_shared.empty()) {
        SharedState &shared = m_shared[at - m_firstShared];
        shared.end = std::max(shared.end, end);
        if (--shared.missing != 0)
            return;
        end = shared.end;
    }
    ResultState &result = m_results[at];
    for (std::int32_t waiter = result.isComplete() ? -1 : result.firstWaiter(); waiter >= 0;
         waiter = m_devices[static_cast<std::size_t>(waiter)].nextWaiter)
        m_runnable.push_back(waiter);
    result.complete(end);
}

Pass Simulation::passThatMakes(std::size_t result) const
{
    Pass pass = m_plan.rows().makerOf(static_cast<ResultRow>(result / m_microbatches));
    pass.microbatch = static_cast<std::int32_t>(result % m_microbatches);
    return pass;
}

bool Simulation::runsLater(int device, const Pass &pass) const
{
    const std::size_t done = m_devices[static_cast<std::size_t>(device)].next;
    const ResultRow row = m_plan.rows().of(pass.kind, pass.stage);
    return std::ranges::any_of(m_schedule.device(device).subspan(done), [&](const Pass &other) {
        return other.microbatch == pass.microbatch && planOf(other).result == row;
    });
}

int Simulation::deviceThatOwes(std::size_t result) const
{
    const Pass pass = passThatMakes(result);
    for (int device = 0; device < m_schedule.devices(); ++device) {
        if (runsLater(device, pass))
            return device;
    }
    return -1;
}

base::Error Simulation::deadlock() const
{
    int device = 0;
    while (m_devices[static_cast<std::size_t>(device)].next == m_schedule.device(device).size())
        ++device;
    // Who waits for whom is a function, so that following it ends in a cycle or at a pass that nobody runs.
    std::vector<int> chain;
    std::string missing;
    while (device >= 0 && std::ranges::find(chain, device) == chain.end()) {
        chain.push_back(device);
        const std::size_t awaited = m_devices[static_cast<std::size_t>(device)].awaited;
        device = deviceThatOwes(awaited);
        if (device < 0)
            missing = base::concat("; no device has ", schedule::text(passThatMakes(awaited)), " left to run");
    }
    if (device >= 0)
        chain.erase(chain.begin(), std::ranges::find(chain, device));
    std::vector<std::string> waits;
    constexpr std::size_t kMostNamed = 8;
    for (const int waiting : chain) {
        if (waits.size() == kMostNamed) {
            waits.push_back(base::concat("and ", chain.size() - kMostNamed, " more devices"));
            break;
        }
        const DeviceState &state = m_devices[static_cast<std::size_t>(waiting)];
        const Pass &pass = m_schedule.device(waiting)[state.next];
        const int owing = deviceThatOwes(state.awaited);
        waits.push_back(base::concat("device ", waiting, " waits at position ", state.next, " (", schedule::text(pass),
                                     ") for ", schedule::text(passThatMakes(state.awaited)),
                                     owing < 0 ? "" : base::concat(" of device ", owing)));
    }
    return base::Error::failed(
        base::concat("the schedule dead-locks: ", base::join(waits, "; "), missing, "; reorder these passes"));
}

} // namespace

base::Result<timeline::Timeline> simulate(const schedule::Schedule &schedule, const CostModel &costs)
{
    return Simulation(schedule, costs).run();
}

} // namespace stagelens::simulate
