#include "engine/simulate/critical_path.h"

#include <algorithm>
#include <limits>

namespace stagelens::simulate {

using base::Nanos;
using schedule::Transfer;
using timeline::SliceId;

namespace {

/// Returns the last dependency of the unit with that first slice.
Bound boundOf(const WaitGraph &graph, int device, std::size_t first, Nanos origin)
{
    const timeline::Lane &lane = graph.lane(device);
    const Nanos begin = lane.begin[first];
    Bound bound{{-1, 0}, origin, Transfer::Local};
    if (const auto step = graph.stepBegunBy(device, first))
        bound = {graph.step(*step - 1).last, graph.step(*step).begin, Transfer::Local};
    else if (first > 0)
        bound = {{device, first - 1}, lane.end[first - 1], Transfer::Local};
    graph.needsOf(device, first, [&](const Awaited &need) {
        const Completion &done = graph.completion(need.result);
        // In a measured timeline, clock errors can move a result after its use, and messages can seem longer than they were.
        if (done.end > begin)
            return;
        const Nanos arrival = std::min(done.end + need.latency, begin);
        if (arrival > bound.arrival || (bound.by.device < 0 && arrival == bound.arrival))
            bound = {done.maker, arrival, need.transfer};
    });
    return bound;
}

/// Computes the latest ends, from the last pass to the first: a unit is visited after everything that depends on it.
class SlackSweep {
public:
    SlackSweep(const WaitGraph &graph, CriticalPath &path, Nanos end);
    void run();

private:
    void countWaiters();
    void sweepDevice(int device);
    [[nodiscard]] bool isAwaited(int device, std::size_t first) const;
    void take(int device, std::size_t first);
    void wakeMakers(std::size_t result);

    /// Latest time at which a result must be complete, and the number of its users not visited yet.
    struct Deadline {
        Nanos latest = std::numeric_limits<Nanos>::max();
        std::int64_t waiters = 0;
    };
    /// Slices of the device from `left` on have been visited; the unit before them must end at `latest`.
    struct Cursor {
        std::size_t left = 0;
        Nanos latest = 0;
    };
    const WaitGraph &m_graph;
    CriticalPath &m_path;
    std::vector<Deadline> m_deadlines;
    std::vector<Cursor> m_cursors;
    std::vector<int> m_runnable;
};

SlackSweep::SlackSweep(const WaitGraph &graph, CriticalPath &path, Nanos end)
    : m_graph(graph), m_path(path), m_deadlines(graph.resultCount())
{
    for (int device = 0; device < graph.timeline().devices(); ++device) {
        m_cursors.push_back({graph.lane(device).size(), end});
        m_runnable.push_back(device);
    }
}

void SlackSweep::run()
{
    countWaiters();
    while (!m_runnable.empty()) {
        const int device = m_runnable.back();
        m_runnable.pop_back();
        sweepDevice(device);
    }
}

void SlackSweep::countWaiters()
{
    for (int device = 0; device < m_graph.timeline().devices(); ++device) {
        const std::size_t count = m_graph.lane(device).size();
        for (std::size_t first = 0; first < count; first = m_graph.lastOf(device, first) + 1)
            m_graph.needsOf(device, first, [this](const Awaited &need) { ++m_deadlines[need.result].waiters; });
    }
}

void SlackSweep::sweepDevice(int device)
{
    Cursor &cursor = m_cursors[static_cast<std::size_t>(device)];
    while (cursor.left > 0) {
        const std::size_t first = m_graph.firstOf(device, cursor.left - 1);
        if (isAwaited(device, first))
            return;
        take(device, first);
        cursor.left = first;
    }
}

bool SlackSweep::isAwaited(int device, std::size_t first) const
{
    bool awaited = false;
    m_graph.resultsOf(device, first,
                      [&](std::size_t result, std::size_t) { awaited = awaited || m_deadlines[result].waiters > 0; });
    return awaited;
}

void SlackSweep::take(int device, std::size_t first)
{
    const timeline::Lane &lane = m_graph.lane(device);
    LaneWaits &waits = m_path.lanes[static_cast<std::size_t>(device)];
    Cursor &cursor = m_cursors[static_cast<std::size_t>(device)];
    const std::size_t last = m_graph.lastOf(device, first);
    Nanos latest = cursor.latest;
    m_graph.resultsOf(device, first,
                      [&](std::size_t result, std::size_t) { latest = std::min(latest, m_deadlines[result].latest); });
    const Nanos slack = latest - lane.end[last];
    std::fill(waits.slack.begin() + static_cast<std::ptrdiff_t>(first),
              waits.slack.begin() + static_cast<std::ptrdiff_t>(last + 1), slack);
    const Nanos arrival = waits.bound[first].arrival;
    // The next step has slack of its own: a delay of this one may not lengthen it.
    const auto step = m_graph.stepBegunBy(device, first);
    cursor.latest = step ? m_graph.step(*step - 1).end : arrival + slack;
    m_graph.needsOf(device, first, [&](const Awaited &need) {
        Deadline &deadline = m_deadlines[need.result];
        const Nanos latency = std::min(need.latency, arrival - m_graph.completion(need.result).end);
        deadline.latest = std::min(deadline.latest, arrival + slack - latency);
        if (--deadline.waiters == 0)
            wakeMakers(need.result);
    });
}

void SlackSweep::wakeMakers(std::size_t result)
{
    if (!m_graph.isShared(result)) {
        m_runnable.push_back(m_graph.completion(result).maker.device);
        return;
    }
    for (int device = 0; device < m_graph.timeline().devices(); ++device)
        m_runnable.push_back(device);
}

/// Walks back from the pass that ends last, along the last dependency of each.
class PathWalk {
public:
    PathWalk(const WaitGraph &graph, CriticalPath &path) : m_graph(graph), m_path(path) {}
    void run(Nanos origin);

private:
    void addUnit(int device, std::size_t first);
    void addWait(SliceId slice, const Bound &bound);
    void add(const PathStep &step)
    {
        if (step.kind == PathStep::Kind::Pass || step.end > step.begin)
            m_path.steps.push_back(step);
    }

    const WaitGraph &m_graph;
    CriticalPath &m_path;
};

void PathWalk::run(Nanos origin)
{
    SliceId at{-1, 0};
    Nanos end = origin;
    for (int device = 0; device < m_graph.timeline().devices(); ++device) {
        const timeline::Lane &lane = m_graph.lane(device);
        if (lane.size() > 0 && (at.device < 0 || lane.end.back() > end)) {
            at = {device, lane.size() - 1};
            end = lane.end.back();
        }
    }
    while (at.device >= 0) {
        const std::size_t first = m_graph.firstOf(at.device, at.index);
        addUnit(at.device, first);
        const Bound &bound = m_path.lanes[static_cast<std::size_t>(at.device)].bound[first];
        addWait({at.device, first}, bound);
        at = bound.by;
    }
    std::ranges::reverse(m_path.steps);
}

void PathWalk::addUnit(int device, std::size_t first)
{
    const timeline::Lane &lane = m_graph.lane(device);
    for (std::size_t i = m_graph.lastOf(device, first) + 1; i-- > first;) {
        if (i > first)
            m_path.lanes[static_cast<std::size_t>(device)].isCritical[i] = 1;
        add({PathStep::Kind::Pass, lane.begin[i], lane.end[i], {device, i}, {device, i}, Transfer::Local});
        if (i > first) // between the passes of a measured pair
            add({PathStep::Kind::Overhead, lane.end[i - 1], lane.begin[i], {device, i}, {device, i}, Transfer::Local});
    }
    m_path.lanes[static_cast<std::size_t>(device)].isCritical[first] = 1;
}

void PathWalk::addWait(SliceId slice, const Bound &bound)
{
    add({PathStep::Kind::Overhead, bound.arrival, m_graph.lane(slice.device).begin[slice.index], slice, slice,
         Transfer::Local});
    if (bound.by.device < 0)
        return;
    const std::size_t last = m_graph.lastOf(bound.by.device, bound.by.index);
    add({PathStep::Kind::Transfer, m_graph.lane(bound.by.device).end[last], bound.arrival, bound.by, slice, bound.transfer});
}

} // namespace

CriticalPath criticalPath(const WaitGraph &graph)
{
    const auto [begin, end] = graph.timeline().extent();
    CriticalPath path;
    for (int device = 0; device < graph.timeline().devices(); ++device) {
        const std::size_t count = graph.lane(device).size();
        LaneWaits &lane = path.lanes.emplace_back();
        lane.bound.reserve(count);
        lane.slack.resize(count);
        lane.isCritical.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t first = graph.firstOf(device, i);
            lane.bound.push_back(first < i ? lane.bound.back() : boundOf(graph, device, first, begin));
        }
    }
    SlackSweep(graph, path, end).run();
    PathWalk(graph, path).run(begin);
    return path;
}

} // namespace stagelens::simulate
