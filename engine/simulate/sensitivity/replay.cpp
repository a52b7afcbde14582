#include "engine/simulate/sensitivity/replay.h"

#include "engine/simulate/wait_graph.h"

#include <algorithm>
#include <limits>

namespace stagelens::simulate {
namespace {

/// Orders units topologically. Visits the devices in turn and emits their units until one has an unmet requirement.
class UnitOrder {
public:
    explicit UnitOrder(const WaitGraph &graph)
        : m_graph(graph), m_missing(graph.resultCount()), m_next(graph.timeline().lanes.size())
    {
        for (std::size_t result = 0; result < m_missing.size(); ++result)
            m_missing[result] = graph.isShared(result) ? graph.timeline().devices() : 1;
    }
    /// Calls `emit(device, first)` for every unit; false if some wait for each other.
    template <class Emit>
    bool run(Emit emit)
    {
        for (bool moved = true; moved;) {
            moved = false;
            for (int device = 0; device < m_graph.timeline().devices(); ++device)
                while (isReady(device)) {
                    std::size_t &next = m_next[static_cast<std::size_t>(device)];
                    emit(device, next);
                    m_graph.resultsOf(device, next, [this](std::size_t result, std::size_t) { --m_missing[result]; });
                    next = m_graph.lastOf(device, next) + 1;
                    moved = true;
                }
        }
        for (int device = 0; device < m_graph.timeline().devices(); ++device)
            if (m_next[static_cast<std::size_t>(device)] < m_graph.lane(device).size())
                return false;
        return true;
    }

private:
    [[nodiscard]] bool isReady(int device) const
    {
        const std::size_t next = m_next[static_cast<std::size_t>(device)];
        if (next >= m_graph.lane(device).size())
            return false;
        bool isReady = true;
        m_graph.needsOf(device, next, [&](const Awaited &need) { isReady = isReady && m_missing[need.result] <= 0; });
        return isReady;
    }

    const WaitGraph &m_graph;
    std::vector<int> m_missing; ///< makers of each result that have not run
    std::vector<std::size_t> m_next;
};

} // namespace

base::Result<Replay> Replay::of(const schedule::Schedule &schedule, const CostModel &costs, const timeline::Timeline &timeline)
{
    const WaitGraph graph(timeline, schedule, costs);
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
    if (timeline.sliceCount() > kMost / 4 || graph.resultCount() > kMost)
        return base::Error::invalid("what_if.draws", "cannot draw so many passes; lower the microbatches, or leave jitter out");
    Replay replay;
    replay.m_devices = timeline.devices();
    replay.m_results = graph.resultCount();
    replay.m_units.reserve(timeline.sliceCount());
    replay.m_positions.reserve(timeline.sliceCount());
    const auto emit = [&](int device, std::size_t first) {
        const std::size_t last = graph.lastOf(device, first);
        const auto timeOf = [&](std::size_t position) {
            const PassCost cost = costs.of(device, graph.lane(device).pass[position]);
            return static_cast<double>(last > first ? costs.inPair(cost) : cost.duration);
        };
        Unit unit;
        unit.device = device;
        unit.first = timeOf(first);
        if (last > first)
            unit.second = timeOf(last);
        graph.needsOf(device, first, [&](const Awaited &need) {
            replay.m_needs.push_back({static_cast<double>(need.latency), static_cast<std::int32_t>(need.result)});
        });
        unit.needs = static_cast<std::int32_t>(replay.m_needs.size());
        graph.resultsOf(device, first, [&unit](std::size_t result, std::size_t) {
            (unit.result < 0 ? unit.result : unit.secondResult) = static_cast<std::int32_t>(result);
        });
        replay.m_units.push_back(unit);
        replay.m_positions.push_back(static_cast<std::uint32_t>(first));
    };
    if (!UnitOrder(graph).run(emit))
        return base::Error::failed("the passes wait for each other; run validate");
    return replay;
}

Replay::State Replay::state() const
{
    const auto devices = static_cast<std::size_t>(m_devices);
    return {std::vector<double>(m_results),    std::vector<std::int32_t>(m_results), std::vector<std::int32_t>(units()),
            std::vector<double>(units()),      std::vector<double>(devices),         std::vector<double>(devices),
            std::vector<std::int32_t>(devices)};
}

void Replay::addCriticalTime(const State &state, std::span<double> ofDevice) const
{
    const auto last = std::ranges::max_element(state.deviceEnd);
    if (last == state.deviceEnd.end())
        return;
    std::int32_t at = state.latest[static_cast<std::size_t>(last - state.deviceEnd.begin())];
    while (at >= 0) {
        const auto unit = static_cast<std::size_t>(at);
        ofDevice[static_cast<std::size_t>(m_units[unit].device)] += state.duration[unit];
        at = state.bound[unit];
    }
}

} // namespace stagelens::simulate
