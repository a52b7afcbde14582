#include "engine/simulate/simulate.h"

#include "engine/simulate/offload/copy_lane.h"
#include "engine/simulate/steps/iterations.h"
#include "engine/simulate/steps/step_end.h"

#include "engine/base/text.h"
#include "engine/schedule/devices_in_order.h"
#include "engine/simulate/wait_plan.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <ranges>
#include <span>

namespace stagelens::simulate {

using base::Nanos;
using schedule::Pass;
using schedule::PassKind;

namespace {

/// One simulation: each device runs until it waits for a result; the result's completion wakes it.
class Simulation {
public:
    Simulation(const schedule::Schedule &schedule, const CostModel &costs);
    /// Returns the end of each device's passes; a second call to take() is then due.
    base::Result<std::vector<Nanos>> run();
    /// Returns the passes with what follows them. `ends`: when every replica of a device has ended its passes.
    timeline::Timeline take(const std::vector<Nanos> &ends);

private:
    /// Blocking collectives: returns whether the one that the device's last unit fed has completed.
    bool passBarrier(int device, Nanos &ready);
    /// Launches the copies before the device's next unit and delays it until those that it joins have ended.
    void joinCopies(int device, Nanos &ready);
    /// Returns the end of the unit.
    Nanos runUnit(int device, std::span<const Pass> unit, Nanos ready);
    void addVocabulary();
    [[nodiscard]] base::Result<> checkPasses() const;
    /// Returns the result that the device's next unit waits for.
    [[nodiscard]] std::size_t awaitedBy(int device) const;
    /// Returns the first device that has yet to run a pass for the result, which may be another than the plan's; -1 if none.
    [[nodiscard]] int deviceThatOwes(std::size_t result) const;
    [[nodiscard]] base::Error deadlock() const;

    const schedule::Schedule &m_schedule;
    const CostModel &m_costs;
    WaitPlan m_plan;
    std::optional<schedule::DevicesInOrder> m_devices;
    /// A collective that a device waits for before its next unit.
    struct Barrier {
        std::size_t result = 0; ///< that feeds it
        Nanos latency = 0;
    };
    std::vector<std::optional<Barrier>> m_barriers; ///< of each device, if collectives block
    std::vector<CopyLane> m_copies;                 ///< of each device; empty without offload
    timeline::Timeline m_timeline;
    bool m_tooLong = false;
};

Simulation::Simulation(const schedule::Schedule &schedule, const CostModel &costs)
    : m_schedule(schedule), m_costs(costs), m_plan(schedule, costs), m_devices(std::in_place, schedule, m_plan),
      m_barriers(static_cast<std::size_t>(schedule.devices()))
{
    m_timeline.lanes.resize(m_barriers.size());
    for (int device = 0; device < schedule.devices(); ++device)
        m_timeline.lanes[static_cast<std::size_t>(device)].reserve(schedule.device(device).size());
    for (int device = 0; schedule.hasCopies() && device < schedule.devices(); ++device)
        m_copies.emplace_back(schedule.copies(device), costs.copiesTakeTurns);
}

base::Result<> Simulation::checkPasses() const
{
    for (int device = 0; device < m_schedule.devices(); ++device) {
        for (const Pass &pass : m_schedule.device(device)) {
            if (pass.microbatch >= 0 && pass.microbatch < m_schedule.microbatches() && pass.stage < m_schedule.stages() &&
                pass.kind != PassKind::O)
                continue;
            return base::Error::failed(fmt::format(
                "device {} has the pass {}, which a schedule of {} stages and {} microbatches cannot have; run validate",
                device, schedule::text(pass), m_schedule.stages(), m_schedule.microbatches()));
        }
    }
    return {};
}

base::Result<std::vector<Nanos>> Simulation::run()
{
    if (const base::Result<> checked = checkPasses(); !checked)
        return checked.error();
    m_devices->run([this](int device, std::span<const Pass> unit, Nanos ready) { return runUnit(device, unit, ready); },
                   [this](int device, Nanos &ready) {
                       joinCopies(device, ready);
                       return passBarrier(device, ready);
                   });
    if (m_tooLong)
        return base::Error::invalid("cost",
                                    "an iteration would take more than 11 days; lower the durations or the microbatches");
    std::vector<Nanos> ends;
    for (int device = 0; device < m_schedule.devices(); ++device) {
        if (!m_devices->isDone(device))
            return deadlock();
        ends.push_back(m_devices->free(device));
    }
    return ends;
}

timeline::Timeline Simulation::take(const std::vector<Nanos> &ends)
{
    for (int device = 0; device < m_schedule.devices(); ++device)
        m_timeline.stages.push_back(m_schedule.placement().stagesOf(device));
    for (std::size_t device = 0; device < m_copies.size(); ++device) {
        m_timeline.lanes[device].anchored = m_copies[device].slices();
        std::ranges::stable_sort(m_timeline.lanes[device].anchored, {}, &timeline::AnchoredSlice::begin);
    }
    addStepEnd(m_timeline, m_costs, ends);
    m_timeline.slices = m_schedule.slices();
    m_timeline.microbatchDirection = m_schedule.placement().microbatchDirection;
    if (m_costs.vocabularyKnown)
        addVocabulary();
    return std::move(m_timeline);
}

Nanos Simulation::runUnit(int device, std::span<const Pass> unit, Nanos ready)
{
    timeline::Lane &lane = m_timeline.lanes[static_cast<std::size_t>(device)];
    for (const Pass &pass : unit) {
        const PassCost cost = m_costs.of(device, pass);
        const Nanos end = ready + (unit.size() == 1 ? cost.duration : m_costs.inPair(cost));
        lane.push(pass, ready, end);
        ready = end;
        if (!m_plan.blocks())
            continue;
        const ResultRow row = m_devices->frontier().needsOf(pass).result;
        if (row == kNoRow)
            continue;
        if (const Nanos latency = m_plan.collective(row).latency; latency >= 0)
            m_barriers[static_cast<std::size_t>(device)] = {m_devices->frontier().resultOf(row, pass.microbatch), latency};
    }
    m_tooLong = ready > base::kLongestPass;
    return m_tooLong ? -1 : ready;
}

void Simulation::joinCopies(int device, Nanos &ready)
{
    if (m_copies.empty())
        return;
    const auto costOf = [&](std::size_t place) {
        const schedule::Copy &copy = m_schedule.copies(device)[place];
        const CopyCost cost = m_costs.copy(copy.stage);
        return std::pair(copy.kind == schedule::CopyKind::Offload ? cost.out : cost.in, cost.bytes);
    };
    ready = m_copies[static_cast<std::size_t>(device)].advance(m_devices->next(device), ready, costOf);
}

bool Simulation::passBarrier(int device, Nanos &ready)
{
    const std::optional<Barrier> &fed = m_barriers[static_cast<std::size_t>(device)];
    return !fed || m_devices->frontier().arrives(static_cast<std::size_t>(device), fed->result, fed->latency, ready);
}

/// Frees the results first, because a large simulation has memory for only one of the two.
void Simulation::addVocabulary()
{
    m_devices.reset();
    for (std::size_t device = 0; device < m_timeline.lanes.size(); ++device) {
        timeline::Lane &lane = m_timeline.lanes[device];
        lane.vocabulary.reserve(lane.size());
        for (std::size_t i = 0; i < lane.size(); ++i) {
            const Nanos own = m_costs.of(static_cast<int>(device), lane.pass[i]).vocabulary;
            lane.vocabulary.push_back(timeline::isPaired(lane, i) ? std::llround(static_cast<double>(own) * m_costs.pairScale)
                                                                  : own);
        }
    }
}

std::size_t Simulation::awaitedBy(int device) const
{
    const schedule::Frontier &frontier = m_devices->frontier();
    const std::optional<Barrier> &fed = m_barriers[static_cast<std::size_t>(device)];
    return fed && !frontier.isComplete(fed->result) ? fed->result
                                                    : frontier.missing(m_devices->nextUnit(device)).value().result;
}

int Simulation::deviceThatOwes(std::size_t result) const
{
    const schedule::Frontier &frontier = m_devices->frontier();
    for (int device = 0; device < m_schedule.devices(); ++device)
        for (const Pass &pass : m_schedule.device(device).subspan(m_devices->next(device)))
            if (const ResultRow row = frontier.needsOf(pass).result;
                row != kNoRow && frontier.resultOf(row, pass.microbatch) == result)
                return device;
    return -1;
}

base::Error Simulation::deadlock() const
{
    struct Wait {
        int device = 0;
        std::string awaited;
        int owner = -1;
    };
    // Each device waits for exactly one other, so following the waits ends in a cycle or at a missing pass.
    std::vector<Wait> chain;
    std::string missing;
    int device = 0;
    while (m_devices->isDone(device))
        ++device;
    while (missing.empty() && std::ranges::find(chain, device, &Wait::device) == chain.end()) {
        const std::size_t awaited = awaitedBy(device);
        chain.push_back({device, schedule::text(m_devices->frontier().makerOf(awaited)), deviceThatOwes(awaited)});
        device = chain.back().owner;
        if (device < 0)
            missing = fmt::format("; no device has {} left to run", chain.back().awaited);
    }
    if (missing.empty())
        chain.erase(chain.begin(), std::ranges::find(chain, device, &Wait::device));
    std::vector<std::string> waits;
    constexpr std::size_t kMostNamed = 8;
    for (const Wait &wait : chain | std::views::take(kMostNamed))
        waits.push_back(fmt::format("device {} waits at position {} ({}) for {}{}", wait.device, m_devices->next(wait.device),
                                    schedule::text(m_devices->nextUnit(wait.device).front()), wait.awaited,
                                    wait.owner < 0 ? "" : fmt::format(" of device {}", wait.owner)));
    if (chain.size() > kMostNamed)
        waits.push_back(fmt::format("and {} more devices", chain.size() - kMostNamed));
    return base::Error::failed(
        fmt::format("the schedule dead-locks: {}{}; reorder these passes", base::join(waits, "; "), missing));
}

base::Result<timeline::Timeline> simulateReplicas(const schedule::Schedule &schedule, const CostModel &costs)
{
    std::vector<Nanos> latest(static_cast<std::size_t>(schedule.devices())); // end of each device in any replica
    Nanos end = -1;
    const ReplicaClass *slowest = nullptr;
    for (const ReplicaClass &each : costs.classes) {
        const CostModel own = costs.ofReplicas(each);
        const auto ends = Simulation(schedule, own).run();
        if (!ends)
            return ends.error();
        if (const Nanos last = std::ranges::max(*ends); last > end) {
            end = last;
            slowest = &each;
        }
        std::ranges::transform(latest, *ends, latest.begin(), [](Nanos a, Nanos b) { return std::max(a, b); });
    }
    const CostModel own = costs.ofReplicas(*slowest);
    Simulation simulation(schedule, own);
    if (auto ends = simulation.run(); !ends)
        return std::move(ends).error();
    timeline::Timeline timeline = simulation.take(latest);
    timeline.replica = slowest->first;
    timeline.period = slowestPeriod(timeline, costs, latest);
    addFirstGathers(timeline, costs);
    return timeline;
}

} // namespace

base::Result<timeline::Timeline> simulate(const schedule::Schedule &schedule, const CostModel &costs)
{
    if (schedule.drainsBetweenSteps()) {
        auto step = simulate(schedule.firstStep(), costs);
        return step ? repeated(*step, schedule) : step;
    }
    if (!costs.classes.empty())
        return simulateReplicas(schedule, costs);
    Simulation simulation(schedule, costs);
    const auto ends = simulation.run();
    if (!ends)
        return ends.error();
    timeline::Timeline timeline = simulation.take(*ends);
    addFirstGathers(timeline, costs);
    noteIterations(timeline, schedule);
    return timeline;
}

} // namespace stagelens::simulate
