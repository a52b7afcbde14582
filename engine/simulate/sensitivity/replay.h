// A simulated step as a list that can be run again with other durations, without schedule, requirements and readiness state.
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/timeline/timeline.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::simulate {

/// The units (a pass, or an overlapped pair) of a schedule in an order in which every unit follows its dependencies. Immutable;
/// several threads may run it concurrently, each with its own state. 36 bytes per unit and 16 per requirement.
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
    void run(State &state, Factor factor) const
    {
        runTimed(state, Factored<Factor>{factor});
    }
    /// The same with all times given by the caller: `times.duration(unit, values)`; `times.latency(unit, need)`;
    /// `times.release(unit)`, before which the unit does not begin (from 0); and `times.ended(unit, end)`, which is called with
    /// each result.
    template <class Times>
    void runTimed(State &state, Times times) const;
    /// Adds, for each device, the time for which the critical path of a run passes through it.
    void addCriticalTime(const State &state, std::span<double> ofDevice) const;

    [[nodiscard]] std::size_t units() const { return m_units.size(); }
    [[nodiscard]] int deviceOf(std::size_t unit) const { return m_units[unit].device; }
    /// Returns the position of the unit's first pass in the order of its device.
    [[nodiscard]] std::size_t positionOf(std::size_t unit) const { return m_positions[unit]; }
    [[nodiscard]] int devices() const { return m_devices; }

private:
    template <class Factor>
    struct Factored {
        Factor factor;
        double duration(std::size_t unit, const Unit &values)
        {
            const double first = values.first * factor(unit);
            return values.second > 0 ? first + values.second * factor(unit) : first;
        }
        double latency(std::size_t, const Need &need) const { return need.latency; }
        double release(std::size_t) const { return 0; }
        void ended(std::size_t, double) const {}
    };

    std::vector<Unit> m_units;
    std::vector<std::uint32_t> m_positions; ///< of each unit
    std::vector<Need> m_needs;
    std::size_t m_results = 0;
    int m_devices = 0;
};

template <class Times>
void Replay::runTimed(State &state, Times times) const
{
    std::fill(state.resultEnd.begin(), state.resultEnd.end(), 0.0);
    std::fill(state.deviceEnd.begin(), state.deviceEnd.end(), 0.0);
    std::fill(state.deviceBegin.begin(), state.deviceBegin.end(), -1.0);
    std::fill(state.latest.begin(), state.latest.end(), -1);
    std::size_t need = 0;
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        const Unit &unit = m_units[i];
        const auto device = static_cast<std::size_t>(unit.device);
        double ready = std::max(state.deviceEnd[device], times.release(i));
        std::int32_t bound = state.latest[device];
        for (; need < static_cast<std::size_t>(unit.needs); ++need) {
            const auto result = static_cast<std::size_t>(m_needs[need].result);
            if (const double arrival = state.resultEnd[result] + times.latency(i, m_needs[need]); arrival > ready) {
                ready = arrival;
                bound = state.maker[result];
            }
        }
        const double duration = times.duration(i, unit);
        const double end = ready + duration;
        times.ended(i, end);
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
