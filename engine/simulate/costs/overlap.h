// The time of two passes that run at the same time on one device: one computes while the other exchanges.
#pragma once

#include <span>

namespace stagelens::simulate {

/// A part of a pass that keeps one lane of its device busy.
struct LaneLeg {
    double seconds = 0;
    bool isNetwork = false;    ///< else the compute lane
    bool isDeferrable = false; ///< no later leg of the pass needs its result: the gradient of weights
};

/// Returns the seconds of an overlapped pair. The legs of each pass run in order, and a lane runs one leg at a time. If two
/// legs can begin at the same time, the leg of the pass with more work left runs first. Deferrable legs fill the gaps of the
/// compute lane. The result is at least the sum of either lane, and at most the sum of both. O(legs).
[[nodiscard]] double overlappedSeconds(std::span<const LaneLeg> one, std::span<const LaneLeg> other);

} // namespace stagelens::simulate
