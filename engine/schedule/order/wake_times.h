// The time at which an event simulation next wakes each device.
#pragma once

#include "engine/base/units.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace stagelens::schedule {

/// One time per device in a tree of minima. Its branches are predictable, unlike those of a heap. O(log devices) to set and to
/// take.
class WakeTimes {
public:
    static constexpr base::Nanos kNever = std::numeric_limits<base::Nanos>::max();

    explicit WakeTimes(std::size_t devices) : m_leaves(std::bit_ceil(devices)), m_least(2 * m_leaves, kNever) {}

    /// Wakes the device at that time, unless an earlier time is set.
    void wakeAt(std::size_t device, base::Nanos time)
    {
        for (std::size_t node = m_leaves + device; node > 0 && time < m_least[node]; node /= 2)
            m_least[node] = time;
    }
    /// Removes and returns the earliest time and the first device with it; nothing if no time is set.
    [[nodiscard]] std::optional<std::pair<base::Nanos, std::size_t>> take()
    {
        const base::Nanos time = m_least[1];
        if (time == kNever)
            return std::nullopt;
        std::size_t node = 1;
        while (node < m_leaves)
            node = 2 * node + (m_least[2 * node] == time ? 0 : 1);
        const std::size_t device = node - m_leaves;
        m_least[node] = kNever;
        for (node /= 2; node > 0; node /= 2)
            m_least[node] = std::min(m_least[2 * node], m_least[2 * node + 1]);
        return std::pair(time, device);
    }

private:
    std::size_t m_leaves;
    std::vector<base::Nanos> m_least; ///< of each node's leaves; the root is 1, leaves begin at m_leaves
};

} // namespace stagelens::schedule
