#include "engine/simulate/steps/typical_step.h"

#include "engine/base/median.h"
#include "engine/simulate/wait_graph.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace stagelens::simulate {

using base::Nanos;
using timeline::Lane;
using timeline::SliceId;
using timeline::Timeline;
using timeline::TimelinePtr;

namespace {

constexpr std::size_t kFewestSteps = 3;
constexpr std::size_t kMostSlices = 1'000'000;
constexpr Nanos kNotYet = std::numeric_limits<Nanos>::min();

template <class Value>
Nanos medianOver(std::span<const TimelinePtr> steps, std::vector<Nanos> &room, Value value)
{
    room.clear();
    for (std::size_t step = 0; step < steps.size(); ++step)
        room.push_back(value(step));
    return base::lowerMedian(room);
}

bool haveSameAnchoredWork(const Lane &a, const Lane &b)
{
    return std::ranges::equal(a.anchored, b.anchored, [](const timeline::AnchoredSlice &x, const timeline::AnchoredSlice &y) {
        return x.kind == y.kind && x.stage == y.stage && x.microbatch == y.microbatch;
    });
}

bool areAlike(const Timeline &a, const Timeline &b)
{
    return a.period == 0 && b.period == 0 && a.stages == b.stages &&
           std::ranges::equal(a.lanes, b.lanes, [](const Lane &x, const Lane &y) {
               return x.pass == y.pass && x.vocabulary.size() == y.vocabulary.size() &&
                      x.processor.size() == y.processor.size() && (x.tailEnd > x.tailBegin) == (y.tailEnd > y.tailBegin) &&
                      haveSameAnchoredWork(x, y);
           });
}

/// Returns when a lane's last pass ends; 0 without passes.
Nanos endOfPasses(const Lane &lane)
{
    return lane.size() == 0 ? 0 : lane.end.back();
}

Nanos endOfPasses(const Timeline &step)
{
    Nanos end = 0;
    for (const Lane &lane : step.lanes)
        end = std::max(end, endOfPasses(lane));
    return end;
}

class Replay {
public:
    Replay(std::span<const TimelinePtr> steps, const schedule::Schedule &schedule) : m_steps(steps), m_made(*steps.front())
    {
        const CostModel noCosts(schedule.devices(), schedule.stages());
        for (const TimelinePtr &step : steps)
            m_graphs.emplace_back(*step, schedule, noCosts);
        m_ready.assign(m_graphs.front().resultCount(), kNotYet);
        m_missing.resize(m_ready.size());
        for (std::size_t result = 0; result < m_missing.size(); ++result)
            m_missing[result] = m_graphs.front().isShared(result) ? schedule.devices() : 1;
        m_made.transfers.clear();
    }

    /// False if a pass begins before a result that it needs is there.
    bool run()
    {
        std::vector<SliceId> units;
        for (int device = 0; device < m_made.devices(); ++device)
            for (std::size_t first = 0; first < lane(device).size(); first = m_graphs.front().lastOf(device, first) + 1)
                units.push_back({device, first});
        // As the first step began them: what a pass needs comes before it.
        const Timeline &order = *m_steps.front();
        std::ranges::stable_sort(units, {}, [&order](const SliceId &unit) {
            const Lane &its = order.lanes[static_cast<std::size_t>(unit.device)];
            return std::pair(its.begin[unit.index], its.end[unit.index]);
        });
        for (const SliceId &unit : units)
            if (!place(unit))
                return false;
        for (int device = 0; device < m_made.devices(); ++device)
            placeRest(device);
        return true;
    }

    Timeline take() { return std::move(m_made); }

private:
    [[nodiscard]] Lane &lane(int device) { return m_made.lanes[static_cast<std::size_t>(device)]; }
    [[nodiscard]] const Lane &lane(std::size_t step, int device) const
    {
        return m_steps[step]->lanes[static_cast<std::size_t>(device)];
    }

    /// Returns when a unit could have begun in a step.
    [[nodiscard]] Nanos couldBegin(std::size_t step, const SliceId &unit) const
    {
        const WaitGraph &graph = m_graphs[step];
        Nanos time = unit.index == 0 ? 0 : graph.lane(unit.device).end[unit.index - 1];
        graph.needsOf(unit.device, unit.index,
                      [&](const Awaited &need) { time = std::max(time, graph.completion(need.result).end); });
        return time;
    }

    bool place(const SliceId &unit)
    {
        const auto &[device, first] = unit;
        const std::size_t last = m_graphs.front().lastOf(device, first);
        Lane &made = lane(device);
        Nanos begin = first == 0 ? 0 : made.end[first - 1];
        bool isComplete = true;
        m_graphs.front().needsOf(device, first, [&](const Awaited &need) {
            isComplete = isComplete && m_missing[need.result] <= 0;
            begin = std::max(begin, m_ready[need.result]);
        });
        if (!isComplete)
            return false;
        begin += std::max<Nanos>(
            median([&](std::size_t step) { return lane(step, device).begin[first] - couldBegin(step, unit); }), 0);
        for (std::size_t i = first; i <= last; ++i) {
            const auto since = [&](Nanos (*time)(const Lane &, std::size_t)) {
                return begin +
                       median([&](std::size_t step) { return time(lane(step, device), i) - lane(step, device).begin[first]; });
            };
            made.begin[i] = since([](const Lane &its, std::size_t at) { return its.begin[at]; });
            made.end[i] = since([](const Lane &its, std::size_t at) { return its.end[at]; });
            if (!made.vocabulary.empty())
                made.vocabulary[i] = std::min(median([&](std::size_t step) { return lane(step, device).vocabulary[i]; }),
                                              made.end[i] - made.begin[i]);
            if (!made.processor.empty())
                made.processor[i] = std::min(median([&](std::size_t step) { return lane(step, device).processor[i]; }),
                                             made.end[i] - made.begin[i]);
        }
        m_graphs.front().resultsOf(device, first, [&](std::size_t result, std::size_t) {
            --m_missing[result];
            m_ready[result] = std::max(m_ready[result], made.end[last]);
        });
        return true;
    }

    /// The optimizer, and anchored work: each as long after the pass that ended last before it as in the steps.
    void placeRest(int device)
    {
        Lane &made = lane(device);
        if (made.tailEnd > made.tailBegin) {
            bool waitsForAll = true;
            for (std::size_t step = 0; step < m_steps.size(); ++step)
                waitsForAll = waitsForAll && lane(step, device).tailBegin >= endOfPasses(*m_steps[step]);
            const auto before = [&](const Timeline &step) {
                return waitsForAll ? endOfPasses(step) : endOfPasses(step.lanes[static_cast<std::size_t>(device)]);
            };
            made.tailBegin = before(m_made) +
                             median([&](std::size_t step) { return lane(step, device).tailBegin - before(*m_steps[step]); });
            made.tailEnd = made.tailBegin +
                           median([&](std::size_t step) { return lane(step, device).tailEnd - lane(step, device).tailBegin; });
        }
        for (std::size_t i = 0; i < made.anchored.size(); ++i) {
            const Lane &first = lane(0, device);
            const auto next = std::ranges::upper_bound(first.end, first.anchored[i].begin);
            const auto passes = static_cast<std::size_t>(next - first.end.begin());
            const auto before = [passes](const Lane &its) { return passes == 0 ? Nanos{0} : its.end[passes - 1]; };
            timeline::AnchoredSlice &slice = made.anchored[i];
            slice.begin = before(made) + median([&](std::size_t step) {
                              return lane(step, device).anchored[i].begin - before(lane(step, device));
                          });
            slice.end = slice.begin + median([&](std::size_t step) {
                            return lane(step, device).anchored[i].end - lane(step, device).anchored[i].begin;
                        });
        }
        std::ranges::stable_sort(made.anchored, {}, &timeline::AnchoredSlice::begin);
    }

    template <class Value>
    Nanos median(Value value)
    {
        return medianOver(m_steps, m_room, value);
    }

    std::span<const TimelinePtr> m_steps;
    std::vector<WaitGraph> m_graphs; ///< of each step
    Timeline m_made;
    std::vector<Nanos> m_ready; ///< of each result, as far as it is made
    std::vector<int> m_missing; ///< producers of each result that have not run yet
    std::vector<Nanos> m_room;
};

} // namespace

std::optional<TypicalStep> typicalStep(std::span<const TimelinePtr> steps, const schedule::Schedule &schedule)
{
    std::size_t slices = 0;
    const auto few = std::ranges::find_if(
        steps, [&slices](const TimelinePtr &step) { return (slices += step->sliceCount()) > kMostSlices; });
    steps = steps.first(static_cast<std::size_t>(few - steps.begin()));
    if (steps.size() < kFewestSteps || schedule.devices() != steps.front()->devices() ||
        !std::ranges::all_of(steps, [&](const TimelinePtr &step) { return areAlike(*steps.front(), *step); }))
        return {};
    Replay replay(steps, schedule);
    if (!replay.run())
        return {};
    return TypicalStep{replay.take(), static_cast<std::int64_t>(steps.size())};
}

} // namespace stagelens::simulate
