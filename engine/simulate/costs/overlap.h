// How long two passes take that run at the same time on one device, where one computes while the other exchanges.
#pragma once

#include <span>

namespace stagelens::simulate {

/// A part of a pass that keeps one lane of its device busy.
struct LaneLeg {
    double seconds = 0;
    bool isNetwork = false;    ///< else the compute lane
    bool isDeferrable = false; ///< computes what no later leg of the pass needs: the gradient of weights
};

/// Returns the seconds of an overlapped pair. The legs of each pass run in their order, a lane runs one leg at a time, and of
/// two legs that can begin at the same time that of the pass with more work left does. Legs that are deferrable fill the gaps
/// of the compute lane. At least the sum of either lane, and at most that of both. O(legs).
[[nodiscard]] double overlappedSeconds(std::span<const LaneLeg> one, std::span<const LaneLeg> other);

} // namespace stagelens::simulate
