// Checks that a schedule is complete, in order and free of deadlock.
#pragma once

#include "engine/schedule/check/deadlock.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::schedule {

enum class ViolationKind : unsigned char {
    Missing,
    Duplicate,
    WrongDevice,     ///< its stage, or for vocabulary passes its chunk, is another device's
    OutOfOrder,      ///< precedes one of its dependencies on the same device
    Deadlock,        ///< devices wait for each other in a cycle
    MicrobatchOrder, ///< a sharded vocabulary or an asynchronous schedule would add gradients in another order
    NotInPlan,       ///< a microbatch, stage or kind that the plan does not have
    TooMuchMemory,   ///< more activations in flight than fit
    StaleWeights,    ///< asynchronous: weights change more often between F and B than the method allows
};
[[nodiscard]] std::string_view name(ViolationKind kind); ///< "missing", "too-much-memory", ...

/// One error of a schedule.
struct Violation {
    ViolationKind kind = ViolationKind::Missing;
    int device = 0;
    std::size_t position = 0; ///< index in the device's list; the list's length if a pass is missing
    std::string cause;        ///< lower-case, with the pass's name
    std::string remedy;
};

/// What to check, and how to report it.
struct ValidationOptions {
    std::size_t limit = 100; ///< maximum number of reported errors
    Sends sends = Sends::Buffered;
    /// Number of activations (of one stage and microbatch) that fit on each device; empty: no limit.
    std::vector<std::int64_t> activationLimit = {};
    /// False for a prediction, which does not depend on the order in which gradients are added: MicrobatchOrder is not
    /// reported.
    bool inMicrobatchOrder = true;
    /// How causes and remedies name a device's position; absent: "position 3".
    std::function<std::string(int device, std::size_t position)> place = {};
};

/// Returns every error (at most `limit`), worst first: completeness, order on one device, microbatch order if required, memory,
/// stale weights, and deadlock, explained as a cycle of waits. Deadlocks are searched only if the order on each device is
/// valid. Empty means valid. O(passes).
[[nodiscard]] std::vector<Violation> findViolations(const Schedule &schedule, const ValidationOptions &options = {});
[[nodiscard]] inline std::vector<Violation> findViolations(const Schedule &schedule, std::size_t limit)
{
    return findViolations(schedule, ValidationOptions{.limit = limit});
}

/// The first pass of a device that adds gradients after those of a later microbatch.
struct OrderRemark {
    int device = 0;
    std::size_t position = 0;
    Pass pass;
    Pass before; ///< of the later microbatch
};
/// Returns how a valid schedule changes the bits of a run: families add the gradients of a stage in microbatch order, PyTorch's
/// LoopedBFS in descending order. Returns nothing if all devices keep microbatch order. O(passes).
[[nodiscard]] std::optional<OrderRemark> accumulationOrder(const Schedule &schedule);
/// "B0@0 is added after B1@0; sums of floating-point numbers depend on their order, so ..."
[[nodiscard]] std::string text(const OrderRemark &remark);

} // namespace stagelens::schedule
