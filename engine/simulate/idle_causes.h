// Why devices idle: every moment of the bubble belongs to one cause.
#pragma once

#include "engine/simulate/critical_path.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace stagelens::simulate {

/// A gap before a pass is what that pass waited for last. In the order in which they are decided:
enum class IdleCause : unsigned char {
    WarmUp,   ///< before the device's first pass
    CoolDown, ///< after its last
    Overhead, ///< all that the next pass waits for is there, and it has not begun (measured timelines only)
    Barrier,  ///< waits for a pass of all devices or of the one that all wait for (C0, C1, C2, embedding), and its transfer
    Message,  ///< the sender has ended; its message is on the way
    /// Waits for a sender, while the device's next forward has all its inputs and no slack: it stands later only because the
    /// device holds the most activations that it ever does already.
    Memory,
    Activation, ///< a forward waits for the stage before
    Gradient,   ///< a backward waits for the stage after
};
inline constexpr int kIdleCauseCount = 8;
[[nodiscard]] std::string_view name(IdleCause cause); ///< "warm_up", "cool_down", ...

/// A stretch of idle time with one cause.
struct IdlePiece {
    base::Nanos begin = 0;
    base::Nanos end = 0;
    IdleCause cause = IdleCause::WarmUp;
    bool isTransfer = false; ///< the pass waited for has ended, its result is on the way
    /// The pass that is waited for; device -1 for warm-up without one, cool-down and overhead.
    timeline::SliceId by{-1, 0};
    /// Memory: the forward of the device that could have run.
    std::optional<std::size_t> heldBack;
    friend bool operator==(const IdlePiece &, const IdlePiece &) = default;
};

/// Device-time by cause.
using IdleTotals = std::array<base::Nanos, kIdleCauseCount>;

/// The pieces of a device are sorted and tile its idle time between the earliest begin and the latest end of all passes; so the
/// totals add up to the bubble: devices x makespan - busy, exactly.
struct IdleCauses {
    std::vector<std::vector<IdlePiece>> devices;
    std::vector<IdleTotals> perDevice;
    IdleTotals total{};
};

/// O(passes). `path` is the graph's.
[[nodiscard]] IdleCauses idleCauses(const WaitGraph &graph, const CriticalPath &path);

/// Why a timeline takes as long as it does. Immutable once made.
struct Explanation {
    CriticalPath path;
    IdleCauses idle;
};
/// Of a simulated or measured timeline of a schedule, whose lanes hold its passes in its order. `costs` says how long messages
/// and collectives take. O(passes).
[[nodiscard]] Explanation explain(const timeline::Timeline &timeline, const schedule::Schedule &schedule,
                                  const CostModel &costs);

/// The pieces of the gap of a device that covers `time`; none if a pass runs then.
[[nodiscard]] std::vector<IdlePiece> piecesAround(const IdleCauses &causes, int device, base::Nanos time);

} // namespace stagelens::simulate
