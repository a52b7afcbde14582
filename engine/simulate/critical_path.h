// The last dependency of every pass, the critical path of the iteration, and the slack of each pass.
#pragma once

#include "engine/simulate/wait_graph.h"

#include <cstdint>
#include <vector>

namespace stagelens::simulate {

/// The last dependency of a pass. The passes of an overlapped pair share it.
struct Bound {
    /// The pass whose end it waited for: the previous pass on its device if there is no gap, otherwise the producer of the
    /// result that arrived last. Device -1: none; the pass could begin with the iteration.
    timeline::SliceId by{-1, 0};
    /// When that result arrived. The pass began then, or, in a measured timeline, later by an unexplained overhead.
    base::Nanos arrival = 0;
    /// How it arrived; Local if `by` is on the same device.
    schedule::Transfer transfer = schedule::Transfer::Local;
    friend bool operator==(const Bound &, const Bound &) = default;
};

/// A piece of the critical path.
struct PathStep {
    enum class Kind : unsigned char {
        Pass,     ///< `slice` runs
        Transfer, ///< the result of `slice` is in flight to `to`
        Overhead, ///< `to` is ready but has not begun: measured timelines only
    };
    Kind kind = Kind::Pass;
    base::Nanos begin = 0;
    base::Nanos end = 0;
    timeline::SliceId slice;
    timeline::SliceId to;
    schedule::Transfer transfer = schedule::Transfer::Local;
    friend bool operator==(const PathStep &, const PathStep &) = default;
};

/// Arrays parallel to the slices of one lane.
struct LaneWaits {
    std::vector<Bound> bound;
    /// The delay of a pass (or of both passes of a pair) that would not lengthen the makespan, if every other pass keeps its
    /// duration and begins as early as possible. In a measured timeline, unexplained overhead is kept.
    std::vector<base::Nanos> slack;
    std::vector<std::uint8_t> isCritical; ///< 1: is part of CriticalPath::steps
};

/// The critical path of one timeline. Immutable.
struct CriticalPath {
    std::vector<LaneWaits> lanes; ///< one a device
    /// From the earliest begin of a pass to the latest end, without gap or overlap: the lengths add up to the makespan.
    std::vector<PathStep> steps;
};

/// O(passes). Slack is exact for the simulator's rules: overlapped pairs, blocking collectives, two directions, split
/// backwards.
[[nodiscard]] CriticalPath criticalPath(const WaitGraph &graph);

} // namespace stagelens::simulate
