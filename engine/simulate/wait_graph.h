// A timeline of a schedule as a graph: the dependencies of each pass, and when they were available.
#pragma once

#include "engine/simulate/wait_plan.h"
#include "engine/timeline/timeline.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace stagelens::simulate {

/// The completion time of a result, and the pass that completed it.
struct Completion {
    base::Nanos end = std::numeric_limits<base::Nanos>::min();
    int missing = 1; ///< producers that are absent from the timeline
    timeline::SliceId maker;
};

/// A dependency of a pass other than its device.
struct Awaited {
    std::size_t result = 0; ///< see WaitGraph::completion()
    base::Nanos latency = 0;
    schedule::Transfer transfer = schedule::Transfer::Local;
};

/// The lanes contain the schedule's passes, or some of them, in its order. A unit is a pass or an overlapped pair. The timeline
/// and the schedule must outlive the graph.
class WaitGraph {
public:
    WaitGraph(const timeline::Timeline &timeline, const schedule::Schedule &schedule, const CostModel &costs);

    [[nodiscard]] const WaitPlan &plan() const { return m_plan; }
    [[nodiscard]] const timeline::Timeline &timeline() const { return *m_timeline; }
    [[nodiscard]] const timeline::Lane &lane(int device) const { return m_timeline->lanes[static_cast<std::size_t>(device)]; }
    [[nodiscard]] std::size_t resultCount() const { return m_completions.size(); }
    [[nodiscard]] std::size_t resultOf(ResultRow row, int microbatch) const
    {
        return static_cast<std::size_t>(row) * m_microbatches + static_cast<std::size_t>(microbatch);
    }
    [[nodiscard]] const Completion &completion(std::size_t result) const { return m_completions[result]; }
    /// Returns whether passes of all devices produce the result together.
    [[nodiscard]] bool isShared(std::size_t result) const
    {
        return m_plan.rows().isShared(static_cast<ResultRow>(result / m_microbatches));
    }

    /// The passes of a step before whose begin all devices have ended those of the step before.
    struct Step {
        base::Nanos begin = std::numeric_limits<base::Nanos>::max();
        base::Nanos end = std::numeric_limits<base::Nanos>::min();
        timeline::SliceId last{-1, 0}; ///< that ends last
    };
    /// Returns the step of a slice if it is its device's first there, and not of the first step: its device waits for all
    /// others. Nothing if the pipeline does not drain between steps.
    [[nodiscard]] std::optional<std::size_t> stepBegunBy(int device, std::size_t index) const
    {
        if (m_steps.empty() || index == 0)
            return std::nullopt;
        const std::vector<schedule::Pass> &passes = lane(device).pass;
        const int step = m_schedule->stepOf(passes[index]);
        return step == m_schedule->stepOf(passes[index - 1]) ? std::nullopt : std::optional(static_cast<std::size_t>(step));
    }
    /// Returns the step of a slice; 0 unless the pipeline drains between steps.
    [[nodiscard]] int stepOf(int device, std::size_t index) const
    {
        return m_steps.empty() ? 0 : m_schedule->stepOf(lane(device).pass[index]);
    }
    [[nodiscard]] const Step &step(std::size_t step) const { return m_steps[step]; }

    /// Return the first and last slice of the unit of a slice.
    [[nodiscard]] std::size_t firstOf(int device, std::size_t index) const
    {
        return m_isSecond[static_cast<std::size_t>(device)][index] != 0 ? index - 1 : index;
    }
    [[nodiscard]] std::size_t lastOf(int device, std::size_t index) const
    {
        const std::vector<std::uint8_t> &isSecond = m_isSecond[static_cast<std::size_t>(device)];
        return index + 1 < isSecond.size() && isSecond[index + 1] != 0 ? index + 1 : index;
    }
    /// Calls `visit(need)` for every dependency, present in the timeline, of the unit with that first slice: its requirements,
    /// and the blocking collective that the previous unit fed.
    template <class Visit>
    void needsOf(int device, std::size_t first, Visit visit) const
    {
        for (std::size_t i = first; i <= lastOf(device, first); ++i)
            needsOfPass(lane(device).pass[i], visit);
        if (first == 0 || !m_plan.blocks())
            return;
        for (std::size_t i = firstOf(device, first - 1); i < first; ++i) {
            const schedule::Pass &pass = lane(device).pass[i];
            const PassNeeds *needs = needsOf(pass);
            if (needs == nullptr || needs->result == kNoRow)
                continue;
            if (const Collective &fed = m_plan.collective(needs->result); fed.latency >= 0)
                visitIfMade({resultOf(needs->result, pass.microbatch), fed.latency, fed.transfer}, visit);
        }
    }
    /// As needsOf, for the requirements of a single pass.
    template <class Visit>
    void needsOfPass(const schedule::Pass &pass, Visit visit) const
    {
        if (const PassNeeds *needs = needsOf(pass))
            for (const schedule::Need &need : *needs)
                visitIfMade({resultOf(need.row, pass.microbatch), need.latency, need.transfer}, visit);
    }
    /// Calls `visit(result, index)` for every result that the unit produces, with the slice that produces it.
    template <class Visit>
    void resultsOf(int device, std::size_t first, Visit visit) const
    {
        for (std::size_t i = first; i <= lastOf(device, first); ++i) {
            const schedule::Pass &pass = lane(device).pass[i];
            if (const PassNeeds *needs = needsOf(pass); needs != nullptr && needs->result != kNoRow)
                visit(resultOf(needs->result, pass.microbatch), i);
        }
    }

private:
    /// Returns null for a pass that the schedule cannot contain.
    [[nodiscard]] const PassNeeds *needsOf(const schedule::Pass &pass) const;
    template <class Visit>
    void visitIfMade(const Awaited &need, Visit &visit) const
    {
        if (m_completions[need.result].missing <= 0)
            visit(need);
    }
    void complete(int device, std::size_t first);
    void findSteps();

    const timeline::Timeline *m_timeline;
    const schedule::Schedule *m_schedule;
    WaitPlan m_plan;
    std::size_t m_microbatches;
    std::vector<Completion> m_completions;
    std::vector<Step> m_steps;                         ///< empty unless the pipeline drains between several
    std::vector<std::vector<std::uint8_t>> m_isSecond; ///< of each slice of each device: whether it is the second of a pair
};

} // namespace stagelens::simulate
