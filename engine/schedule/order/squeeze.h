// Pulls the passes of an order forward: the "squeeze" and "reorder" steps of the building-block method.
#pragma once

#include "engine/base/units.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

#include <vector>

namespace stagelens::schedule {

/// Where squeeze() may change an order. The passes of one kind and stage (of one direction) always keep their order.
enum class Freedom : unsigned char {
    None, ///< nowhere: only the time is of interest
    Ends, ///< while the pipeline fills and drains: before a device holds the most that it may, and after its last forward
    All,
};

struct SqueezeOptions {
    Freedom freedom = Freedom::All;
    /// Most passes F that each device may have without their B (or W, where split). Those that the order itself has at a time
    /// are allowed in any case.
    std::vector<int> mostHeld = {};
    /// W runs only where nothing else can, or where a forward waits for its memory; else W has its place like all others.
    bool weightsFill = true;
    /// B or I that are ready run before every F; else of both the one that the order has first.
    bool backwardsFirst = false;
    /// A pass is put off if another that goes before it is known to become ready before it would end.
    bool isPatient = true;
    /// If above 0: the last stage's B (or I) of a microbatch comes after its F of all microbatches up to so many later, of all
    /// directions, so that vocabulary passes fit in: see withBarriers(). The order must keep to it.
    int barriers = 0;
};

/// List scheduling along an order (arXiv 2405.15362, section 2, has the steps; the rule is ours): time goes on, and each device
/// that is free runs a ready pass, of several the one that the order has first. A cap limits what a device holds. A forward may
/// overtake others only while all of those still fit behind it, so that no device runs out of memory before the pass that would
/// free some: what could run in the given order always can, and nothing dead-locks. The order must be complete, free of
/// deadlock, in microbatch order for each kind and stage, and split all backwards or none. O(passes x (chunks + log devices)).
[[nodiscard]] TimedOrder squeeze(const LayerOrder &order, const Durations &durations, const SqueezeOptions &options = {});

/// Most passes F that each device of an order has at a time without their B (or W).
[[nodiscard]] std::vector<int> mostHeld(const LayerOrder &order);

} // namespace stagelens::schedule
