// What every pass waited for last, the chain of waits that makes an iteration as long as it is, and how late each pass may be.
#pragma once

#include "engine/simulate/wait_graph.h"

#include <cstdint>
#include <vector>

namespace stagelens::simulate {

/// What a pass waited for last. An overlapped pair waits as one.
struct Bound {
    /// The pass whose end it waited for: the one before it on its device where that left no gap, else the maker of the result
    /// that arrived last. Device -1: nothing, it could begin with the iteration.
    timeline::SliceId by{-1, 0};
    /// When that had arrived; the pass began then, or later by what no wait explains (measured timelines).
    base::Nanos arrival = 0;
    /// How it arrived; Local where `by` is on the same device.
    schedule::Transfer transfer = schedule::Transfer::Local;
    friend bool operator==(const Bound &, const Bound &) = default;
};

/// A piece of the critical path.
struct PathStep {
    enum class Kind : unsigned char {
        Pass,     ///< `slice` runs
        Transfer, ///< the result of `slice` is on its way to `to`
        Overhead, ///< `to` could begin and has not begun: measured timelines only
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
    /// By how much a pass may be late (a pair both together) without lengthening the makespan, all else being as it is and
    /// every pass beginning as soon as it can. In a measured timeline what no wait explains is taken to stay.
    std::vector<base::Nanos> slack;
    std::vector<std::uint8_t> isCritical; ///< 1: stands in CriticalPath::steps
};

/// Of one timeline. Immutable once made.
struct CriticalPath {
    std::vector<LaneWaits> lanes; ///< one a device
    /// From the earliest begin of a pass to the latest end, without gap or overlap: the lengths add up to the makespan.
    std::vector<PathStep> steps;
};

/// O(passes). Slack is exact for the simulator's rules: overlapped pairs, blocking collectives, two directions, split
/// backwards.
[[nodiscard]] CriticalPath criticalPath(const WaitGraph &graph);

} // namespace stagelens::simulate
