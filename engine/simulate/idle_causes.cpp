#include "engine/simulate/idle_causes.h"

#include <algorithm>

namespace stagelens::simulate {

using base::Nanos;
using schedule::PassKind;
using timeline::SliceId;

namespace {

constexpr SliceId kNobody{-1, 0};

/// The gaps of one device, in order.
class DeviceGaps {
public:
    DeviceGaps(const WaitGraph &graph, const LaneWaits &waits, int device, Nanos begin, Nanos end);
    std::vector<IdlePiece> run();

private:
    void addGap(std::size_t first, Nanos begin);
    /// Adds the part of a gap that waits for a sender; forwards of the device may be delayed for memory meanwhile.
    void addSenderWait(Nanos begin, Nanos end, SliceId by);
    void add(const IdlePiece &piece);
    /// Sets the device's next forward: the first from `from` on, of the same step.
    void findForward(std::size_t from);

    const WaitGraph &m_graph;
    const timeline::Lane &m_lane;
    const LaneWaits &m_waits;
    int m_device;
    Nanos m_begin;
    Nanos m_end;
    int m_held = 0;
    int m_most;
    std::size_t m_forward = 0; ///< the device's next forward; the lane's size if there is none
    Nanos m_forwardReady = 0;  ///< when its inputs are available
    std::vector<IdlePiece> m_pieces;
};

DeviceGaps::DeviceGaps(const WaitGraph &graph, const LaneWaits &waits, int device, Nanos begin, Nanos end)
    : m_graph(graph), m_lane(graph.lane(device)), m_waits(waits), m_device(device), m_begin(begin), m_end(end),
      m_most(schedule::peakActivations(m_lane.pass))
{}

std::vector<IdlePiece> DeviceGaps::run()
{
    Nanos free = m_begin;
    findForward(0);
    for (std::size_t i = 0; i < m_lane.size(); ++i) {
        const bool isFirst = m_graph.firstOf(m_device, i) == i;
        if (m_graph.stepBegunBy(m_device, i))
            findForward(i);
        if (m_lane.begin[i] > free && isFirst)
            addGap(i, free);
        else // between the passes of a measured pair
            add({free, m_lane.begin[i], IdleCause::Overhead, false, kNobody, std::nullopt});
        m_held += activationChange(m_lane.pass[i].kind);
        if (i >= m_forward)
            findForward(i + 1);
        free = m_lane.end[i];
    }
    add({free, m_end, IdleCause::CoolDown, false, kNobody, std::nullopt});
    return std::move(m_pieces);
}

void DeviceGaps::addGap(std::size_t first, Nanos begin)
{
    const Bound &bound = m_waits.bound[first];
    const auto step = m_graph.stepBegunBy(m_device, first);
    if (step) { // between the two steps devices may run their optimizer
        add({begin, m_graph.step(*step - 1).end, IdleCause::CoolDown, false, kNobody, std::nullopt});
        begin = m_graph.step(*step).begin;
    }
    const Nanos arrival = std::max(begin, bound.arrival);
    if (first == 0 || step) {
        add({begin, arrival, IdleCause::WarmUp, false, bound.by, std::nullopt});
    } else if (arrival > begin) {
        const Nanos ended = m_graph.lane(bound.by.device).end[m_graph.lastOf(bound.by.device, bound.by.index)];
        const Nanos sent = std::max(begin, ended);
        if (isCollective(bound.transfer)) {
            add({begin, sent, IdleCause::Barrier, false, bound.by, std::nullopt});
            add({sent, arrival, IdleCause::Barrier, true, bound.by, std::nullopt});
        } else {
            addSenderWait(begin, sent, bound.by);
            add({sent, arrival, IdleCause::Message, true, bound.by, std::nullopt});
        }
    }
    add({arrival, m_lane.begin[first], IdleCause::Overhead, false, kNobody, std::nullopt});
}

void DeviceGaps::addSenderWait(Nanos begin, Nanos end, SliceId by)
{
    const bool isForward = m_graph.lane(by.device).pass[by.index].kind == PassKind::F;
    // A forward with slack would gain nothing from more memory.
    const bool isKeptBack = m_held == m_most && m_forward < m_lane.size() && m_waits.slack[m_forward] == 0;
    const Nanos ready = isKeptBack ? std::clamp(m_forwardReady, begin, end) : end;
    add({begin, ready, isForward ? IdleCause::Activation : IdleCause::Gradient, false, by, std::nullopt});
    add({ready, end, IdleCause::Memory, false, by, m_forward});
}

void DeviceGaps::add(const IdlePiece &piece)
{
    if (piece.end > piece.begin)
        m_pieces.push_back(piece);
}

void DeviceGaps::findForward(std::size_t from)
{
    const auto at = std::find_if(m_lane.pass.begin() + static_cast<std::ptrdiff_t>(from), m_lane.pass.end(),
                                 [](const schedule::Pass &pass) { return pass.kind == PassKind::F; });
    m_forward = static_cast<std::size_t>(at - m_lane.pass.begin());
    m_forwardReady = m_begin;
    if (at != m_lane.pass.end() && m_graph.stepOf(m_device, m_forward) != m_graph.stepOf(m_device, from)) {
        m_forward = m_lane.size();
        return;
    }
    if (at != m_lane.pass.end())
        m_graph.needsOfPass(*at, [this](const Awaited &need) {
            m_forwardReady = std::max(m_forwardReady, m_graph.completion(need.result).end + need.latency);
        });
}

} // namespace

std::string_view name(IdleCause cause)
{
    switch (cause) {
    case IdleCause::WarmUp: return "warm_up";
    case IdleCause::CoolDown: return "cool_down";
    case IdleCause::Overhead: return "overhead";
    case IdleCause::Barrier: return "barrier";
    case IdleCause::Message: return "message";
    case IdleCause::Memory: return "memory";
    case IdleCause::Activation: return "activation";
    case IdleCause::Gradient: return "gradient";
    }
    return "";
}

IdleCauses idleCauses(const WaitGraph &graph, const CriticalPath &path)
{
    IdleCauses causes;
    const Nanos begin = path.steps.empty() ? 0 : path.steps.front().begin;
    const Nanos end = path.steps.empty() ? 0 : path.steps.back().end;
    for (int device = 0; device < graph.timeline().devices(); ++device) {
        const LaneWaits &waits = path.lanes[static_cast<std::size_t>(device)];
        IdleTotals &totals = causes.perDevice.emplace_back();
        causes.devices.push_back(DeviceGaps(graph, waits, device, begin, end).run());
        for (const IdlePiece &piece : causes.devices.back()) {
            const auto cause = static_cast<std::size_t>(piece.cause);
            totals[cause] += piece.end - piece.begin;
            causes.total[cause] += piece.end - piece.begin;
        }
    }
    return causes;
}

Explanation explain(const timeline::Timeline &timeline, const schedule::Schedule &schedule, const CostModel &costs)
{
    const WaitGraph graph(timeline, schedule, costs);
    Explanation explanation;
    explanation.path = criticalPath(graph);
    explanation.idle = idleCauses(graph, explanation.path);
    return explanation;
}

std::vector<IdlePiece> piecesAround(const IdleCauses &causes, int device, Nanos time)
{
    const std::vector<IdlePiece> &pieces = causes.devices[static_cast<std::size_t>(device)];
    auto first = std::ranges::upper_bound(pieces, time, {}, &IdlePiece::end);
    if (first == pieces.end() || first->begin > time)
        return {};
    auto last = first + 1;
    while (first != pieces.begin() && std::prev(first)->end == first->begin)
        --first;
    while (last != pieces.end() && std::prev(last)->end == last->begin)
        ++last;
    return {first, last};
}

} // namespace stagelens::simulate
