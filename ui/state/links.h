// What a pass waited for and what waits for it, in a timeline of a schedule.
#pragma once

#include "ui/state/timeline_content.h"

#include <optional>
#include <vector>

namespace stagelens::ui {

/// A neighbour of a slice along the way of its microbatch.
struct Link {
    timeline::SliceId slice;
    schedule::Transfer transfer = schedule::Transfer::Local; ///< between the earlier and the later of the two
    friend bool operator==(const Link &, const Link &) = default;
};

/// The slices that a slice requires; those of a collective on every device. Empty without a schedule.
[[nodiscard]] std::vector<Link> predecessors(const LaneGroup &group, timeline::SliceId slice);
/// The slices that require it.
[[nodiscard]] std::vector<Link> successors(const LaneGroup &group, timeline::SliceId slice);
/// The requirement that finished last.
[[nodiscard]] std::optional<Link> lastPredecessor(const LaneGroup &group, timeline::SliceId slice);

/// The hover panel's and the inspector's lines: pass, place, times, vocabulary part, what it waited for.
[[nodiscard]] QString describeSlice(const LaneGroup &group, timeline::SliceId slice, bool teachingUnits);
/// "3 ms (2.6 ms until B 3 ended on device 1, 0.4 ms for its message)": the wait before a slice, split into waiting and
/// transfer.
[[nodiscard]] QString waitText(const LaneGroup &group, timeline::SliceId slice, bool teachingUnits);
/// What keeps a slice from beginning at a moment before it: "F 5 of device 1", "the message of F 5 from device 1". Empty where
/// nothing but its turn does.
[[nodiscard]] QString awaitedText(const LaneGroup &group, timeline::SliceId slice, base::Nanos time);
/// Why a device does nothing at a moment: "waits for F 5 of device 1", "idle until B 2", "done". Empty while a pass runs.
[[nodiscard]] QString waitReason(const LaneGroup &group, int device, base::Nanos time);
/// What replicas exchange: what, on which device, when, and how much.
[[nodiscard]] QString describeAnchored(const timeline::AnchoredSlice &slice, int device, bool teachingUnits);
/// A message or collective: what, between whom, when.
[[nodiscard]] QString describeTransfer(const timeline::TransferSlice &transfer, bool teachingUnits);
/// The idle time around a moment: how long, between what, and what the next pass waits for.
[[nodiscard]] QString describeGap(const LaneGroup &group, int device, base::Nanos time, bool teachingUnits);
/// "F 3".
[[nodiscard]] QString passText(const schedule::Pass &pass, int slices = 1);

} // namespace stagelens::ui
