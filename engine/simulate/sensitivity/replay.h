// A simulated step as a list that can be run again with other durations, without schedule, requirements and readiness state.
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/timeline/timeline.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::simulate {

/// The units (a pass, or an overlapped pair) of a schedule in an order in which every unit follows its dependencies. Immutable;
/// several threads may run it concurrently, each with its own state. 40 bytes per unit and 16 per requirement.
class Replay {
public:
    /// Times in nanoseconds.
    struct Unit {
        double first = 0;  ///< duration of the pass
        double second = 0; ///< of the other pass of a pair
        std::int32_t device = 0;
        std::int32_t needs = 0; ///< end of its entries in needs(); they begin where those of the previous unit end
        std::int32_t result = -1;
        std::int32_t secondResult = -1;
    };
    struct Need {
        double latency = 0;
        std::int32_t result = 0;
    };
    /// The working memory and the result of one run.
    struct State {
        std::vector<double> resultEnd;
        std::vector<std::int32_t> maker;  ///< of each result: the unit that completed it
        std::vector<std::int32_t> bound;  ///< of each unit: the unit that it waited for last; -1: none
        std::vector<double> duration;     ///< of each unit
        std::vector<double> deviceEnd;    ///< end of the passes of each device
        std::vector<double> deviceBegin;  ///< begin of its first pass
        std::vector<std::int32_t> latest; ///< last unit of each device
    };

    /// The timeline is one that simulate() made from the schedule and the costs.
    [[nodiscard]] static base::Result<Replay> of(const schedule::Schedule &schedule, const CostModel &costs,
                                                 const timeline::Timeline &timeline);

    [[nodiscard]] State state() const;
    /// Runs all units as early as possible. `factor(unit)` and then, for a pair, `factor(unit)` again return what the durations
    /// are multiplied by. O(units).
    template <class Factor>
    void run(State &state, Factor factor) const;
    /// Adds, for each device, the time for which the critical path of a run passes through it.
    void addCriticalTime(const State &state, std::span<double> ofDevice) const;

    [[nodiscard]] std::size_t units() const { return m_units.size(); }
    [[nodiscard]] int devices() const { return m_devices; }

private:
    std::vector<Unit> m_units;
    std::vector<Need> m_needs;
    std::size_t m_results = 0;
    int m_devices = 0;
};

template <class Factor>
void Replay::run(State &state, Factor factor) const
{
    std::fill(state.resultEnd.begin(), state.resultEnd.end(), 0.0);
    std::fill(state.deviceEnd.begin(), state.deviceEnd.end(), 0.0);
    std::fill(state.deviceBegin.begin(), state.deviceBegin.end(), -1.0);
    std::fill(state.latest.begin(), state.latest.end(), -1);
    std::size_t need = 0;
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        const Unit &unit = m_units[i];
        const auto device = static_cast<std::size_t>(unit.device);
        double ready = state.deviceEnd[device];
        std::int32_t bound = state.latest[device];
        for (; need < static_cast<std::size_t>(unit.needs); ++need) {
            const auto result = static_cast<std::size_t>(m_needs[need].result);
            if (const double arrival = state.resultEnd[result] + m_needs[need].latency; arrival > ready) {
                ready = arrival;
                bound = state.maker[result];
            }
        }
        double duration = unit.first * factor(i);
        if (unit.second > 0)
            duration += unit.second * factor(i);
        const double end = ready + duration;
        state.bound[i] = bound;
        state.duration[i] = duration;
        state.deviceEnd[device] = end;
        state.latest[device] = static_cast<std::int32_t>(i);
        if (state.deviceBegin[device] < 0)
            state.deviceBegin[device] = ready;
        for (const std::int32_t result : {unit.result, unit.secondResult}) {
            if (result < 0 || state.resultEnd[static_cast<std::size_t>(result)] > end)
                continue;
            state.resultEnd[static_cast<std::size_t>(result)] = end;
            state.maker[static_cast<std::size_t>(result)] = static_cast<std::int32_t>(i);
        }
    }
}

} // namespace stagelens::simulate
