// Is a schedule complete, in order and free of deadlock?
#pragma once

#include "engine/schedule/schedule.h"

#include <string>
#include <vector>

namespace stagelens::schedule {

enum class ViolationKind : unsigned char {
    Missing,
    Duplicate,
    WrongDevice,     ///< its stage, or for vocabulary passes its chunk, is another device's
    OutOfOrder,      ///< stands before something that it needs on the same device
    Deadlock,        ///< devices wait for each other in a circle
    MicrobatchOrder, ///< gradients would not be added in microbatch order
    NotInPlan,       ///< a microbatch, stage or kind that the plan does not have
};

/// One fault of a schedule.
struct Violation {
    ViolationKind kind = ViolationKind::Missing;
    int device = 0;
    std::size_t position = 0; ///< index in the device's list; the list's length where a pass is missing
    std::string cause;        ///< lower-case, with the pass's name
    std::string remedy;
};

/// Every fault (at most `limit`), worst first: completeness, order against dependencies on one device, microbatch order of
/// accumulating passes (determinism), and deadlock, explained as a cycle of waits. Deadlock is looked for once the order on
/// each device is sound. Empty means valid. O(passes).
[[nodiscard]] std::vector<Violation> findViolations(const Schedule &schedule, std::size_t limit = 100);

} // namespace stagelens::schedule
