// The copies of one device during a step: predicted, or measured one by one.
#pragma once

#include "engine/schedule/copies.h"
#include "engine/timeline/timeline.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace stagelens::simulate {

/// Runs copies in FIFO order, on one lane for both directions or on one lane per direction.
class CopyLane {
public:
    CopyLane(std::span<const schedule::Copy> copies, bool takesTurns) : m_copies(copies), m_takesTurns(takesTurns) {}

    /// Launches the copies before the unit at a position, after the previous unit has ended at `free`. Returns the time at
    /// which the copies that the unit joins have ended, at least `free`. `costOf(index of a copy)` returns its duration and
    /// bytes. May be called again for the same unit.
    template <class CostOf>
    base::Nanos advance(std::size_t position, base::Nanos free, CostOf costOf)
    {
        const std::size_t first = m_launched;
        while (m_launched < m_copies.size() && m_copies[m_launched].launch <= position)
            ++m_launched;
        const std::span<const schedule::Copy> launched = m_copies.subspan(first, m_launched - first);
        const std::size_t early = schedule::firstOffloads(launched);
        for (std::size_t i = 0; i < early; ++i)
            start(first + i, free, free, costOf(first + i));
        base::Nanos ready = joined(m_offloads, position, free);
        for (std::size_t i = early; i < launched.size(); ++i)
            start(first + i, free, ready, costOf(first + i));
        return joined(m_reloads, position, ready);
    }
    /// Returns the copies so far, in the order of their begins on each lane.
    [[nodiscard]] const std::vector<timeline::AnchoredSlice> &slices() const { return m_slices; }

private:
    /// The latest end of the copies that each unit joins.
    using Joins = std::map<std::size_t, base::Nanos>;

    void start(std::size_t place, base::Nanos free, base::Nanos from, const std::pair<base::Nanos, base::Bytes> &cost)
    {
        const schedule::Copy &copy = m_copies[place];
        const bool isReload = copy.kind == schedule::CopyKind::Reload;
        base::Nanos &lane = m_free[isReload && !m_takesTurns ? 1 : 0];
        const base::Nanos begin = std::max({lane, from, free + copy.offset});
        lane = begin + cost.first;
        base::Nanos &join = (isReload ? m_reloads : m_offloads)[copy.join];
        join = std::max(join, lane);
        m_slices.push_back({begin, lane, cost.second,
                            isReload ? timeline::AnchoredKind::Reload : timeline::AnchoredKind::Offload, copy.stage,
                            copy.microbatch});
    }
    static base::Nanos joined(Joins &joins, std::size_t position, base::Nanos ready)
    {
        joins.erase(joins.begin(), joins.lower_bound(position));
        const auto found = joins.find(position);
        return found == joins.end() ? ready : std::max(ready, found->second);
    }

    std::span<const schedule::Copy> m_copies;
    bool m_takesTurns;
    std::size_t m_launched = 0;
    std::array<base::Nanos, 2> m_free{};
    Joins m_offloads;
    Joins m_reloads;
    std::vector<timeline::AnchoredSlice> m_slices;
};

} // namespace stagelens::simulate
