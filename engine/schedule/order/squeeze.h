// Moves the passes of an order forward: the "squeeze" and "reorder" steps of the building-block method.
#pragma once

#include "engine/base/units.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

#include <vector>

namespace stagelens::schedule {

/// Where squeeze() may change an order. Passes of the same kind, stage and direction always keep their order.
enum class Freedom : unsigned char {
    None, ///< nowhere: only computes the times
    Ends, ///< while the pipeline fills and drains: before a device reaches its activation limit, and after its last forward
    All,
};

struct SqueezeOptions {
    Freedom freedom = Freedom::All;
    /// Maximum number of F per device whose B (or W, if split) has not run. The maximum of the given order is always allowed.
    std::vector<int> mostHeld = {};
    /// W runs only if nothing else can run, or if a forward waits for the memory that it frees; otherwise W keeps its position
    /// in the order like any other pass.
    bool weightsFill = true;
    /// A ready B or I runs before any F; otherwise whichever comes first in the order.
    bool backwardsFirst = false;
    /// Delays a pass if one with higher priority is known to become ready before the pass would end.
    bool isPatient = true;
    /// If above 0: the last stage runs B (or I) of microbatch i after F of microbatch i + barriers, in all directions, to leave
    /// time for the vocabulary passes; see withBarriers(). The order must already comply.
    int barriers = 0;
};

/// List scheduling guided by an order (the steps are those of arXiv 2405.15362, section 2; the rule is ours). Each idle device
/// runs the ready pass that is first in the order. A cap limits the activations of a device: a forward may overtake others only
/// if all of these still fit after it. Therefore no device runs out of memory before the pass that would free some, and the
/// result is free of deadlock. The order must be complete, free of deadlock and in microbatch order for each kind and stage,
/// and must split all backwards or none. O(passes x (chunks + log devices)).
[[nodiscard]] TimedOrder squeeze(const LayerOrder &order, const Durations &durations, const SqueezeOptions &options = {});

/// Returns, for each device, the maximum number of F whose B (or W) has not run yet.
[[nodiscard]] std::vector<int> mostHeld(const LayerOrder &order);

} // namespace stagelens::schedule
