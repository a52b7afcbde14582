#include "engine/simulate/wait_graph.h"

#include <algorithm>

namespace stagelens::simulate {

using schedule::Pass;

WaitGraph::WaitGraph(const timeline::Timeline &timeline, const schedule::Schedule &schedule, const CostModel &costs)
    : m_timeline(&timeline), m_schedule(&schedule), m_plan(schedule, costs),
      m_microbatches(static_cast<std::size_t>(schedule.microbatches())), m_completions(m_plan.rows().count() * m_microbatches)
{
    for (std::size_t result = 0; result < m_completions.size(); ++result)
        m_completions[result].missing = m_plan.rows().makersOf(static_cast<ResultRow>(result / m_microbatches));
    for (int device = 0; device < timeline.devices(); ++device) {
        const std::size_t count = lane(device).size();
        std::vector<std::uint8_t> &isSecond = m_isSecond.emplace_back(count);
        for (std::size_t first = 0; first < count; first = lastOf(device, first) + 1) {
            if (lane(device).pass[first].pairedWithNext && first + 1 < count)
                isSecond[first + 1] = 1;
            complete(device, first);
        }
    }
    if (schedule.drainsBetweenSteps())
        findSteps();
}

void WaitGraph::findSteps()
{
    m_steps.resize(static_cast<std::size_t>(m_schedule->iterations()));
    for (int device = 0; device < m_timeline->devices(); ++device) {
        for (std::size_t i = 0; i < lane(device).size(); ++i) {
            Step &step = m_steps[static_cast<std::size_t>(m_schedule->stepOf(lane(device).pass[i]))];
            step.begin = std::min(step.begin, lane(device).begin[i]);
            if (lane(device).end[i] > step.end) {
                step.end = lane(device).end[i];
                step.last = {device, i};
            }
        }
    }
}

void WaitGraph::complete(int device, std::size_t first)
{
    // The outputs of an overlapped pair appear at the pair's end.
    const base::Nanos end = lane(device).end[lastOf(device, first)];
    resultsOf(device, first, [&](std::size_t result, std::size_t index) {
        Completion &done = m_completions[result];
        --done.missing;
        if (end >= done.end) {
            done.end = end;
            done.maker = {device, index};
        }
    });
}

const PassNeeds *WaitGraph::needsOf(const Pass &pass) const
{
    const bool isKnown = pass.microbatch >= 0 && pass.microbatch < m_schedule->microbatches() &&
                         pass.stage < m_schedule->stages() && static_cast<int>(pass.kind) < schedule::kPassKindCount;
    return isKnown ? &m_plan.of(pass.kind, pass.stage, m_schedule->placement().directionOf(pass.microbatch)) : nullptr;
}

} // namespace stagelens::simulate
