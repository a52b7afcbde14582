// Why devices idle: assigns every part of the bubble to one cause.
#pragma once

#include "engine/simulate/critical_path.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace stagelens::simulate {

/// The cause of a gap is the last dependency of the pass after it. Causes are checked in this order:
enum class IdleCause : unsigned char {
    WarmUp,   ///< before the device's first pass, of each step if the pipeline drains in between
    CoolDown, ///< after its last pass
    Overhead, ///< the next pass is ready but has not begun (measured timelines only)
    Barrier,  ///< waits for a collective (C0, C1, C2, embedding): for a pass that feeds it, or for its transfer
    Message,  ///< the sender has ended; its message is in flight
    /// Waits for a sender, while the device's next forward has all its inputs and no slack. That forward runs later only
    /// because the device already holds its maximum number of activations.
    Memory,
    Activation, ///< a forward waits for the previous stage
    Gradient,   ///< a backward waits for the next stage
};
inline constexpr int kIdleCauseCount = 8;
[[nodiscard]] std::string_view name(IdleCause cause); ///< "warm_up", "cool_down", ...

/// An interval of idle time with one cause.
struct IdlePiece {
    base::Nanos begin = 0;
    base::Nanos end = 0;
    IdleCause cause = IdleCause::WarmUp;
    bool isTransfer = false; ///< the pass has ended; its result is in flight
    /// The pass waited for; device -1 for cool-down, overhead, and warm-up without a dependency.
    timeline::SliceId by{-1, 0};
    /// For Memory: the forward of the device that could have run.
    std::optional<std::size_t> heldBack;
    friend bool operator==(const IdlePiece &, const IdlePiece &) = default;
};

/// Device-time by cause.
using IdleTotals = std::array<base::Nanos, kIdleCauseCount>;

/// The sorted pieces of a device cover its idle time between the earliest begin and the latest end of all passes. The totals
/// therefore add up exactly to the bubble: devices x makespan - busy. The time between two steps is of no piece (see Metrics).
struct IdleCauses {
    std::vector<std::vector<IdlePiece>> devices;
    std::vector<IdleTotals> perDevice;
    IdleTotals total{};
};

/// `path` must belong to the graph. O(passes).
[[nodiscard]] IdleCauses idleCauses(const WaitGraph &graph, const CriticalPath &path);

/// Critical path and idle causes of a timeline. Immutable.
struct Explanation {
    CriticalPath path;
    IdleCauses idle;
};
/// Explains a simulated or measured timeline whose lanes contain the schedule's passes in order. `costs` gives the durations of
/// messages and collectives. O(passes).
[[nodiscard]] Explanation explain(const timeline::Timeline &timeline, const schedule::Schedule &schedule,
                                  const CostModel &costs);

/// Returns the pieces of the gap of a device at `time`; none if a pass runs then.
[[nodiscard]] std::vector<IdlePiece> piecesAround(const IdleCauses &causes, int device, base::Nanos time);

} // namespace stagelens::simulate
