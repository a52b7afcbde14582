// Places the copies of one device's activations to the host and back so that no pass waits (resources/docs/offload.md).
#pragma once

#include "engine/base/units.h"

#include <optional>
#include <span>
#include <vector>

namespace stagelens::simulate {

/// Whether both directions of the link to the host share one lane or have one each, or take turns in it in slots of equal
/// length.
enum class LaneSharing : unsigned char { Shared, OneEach, Slots };

/// An activation: between the end of its forward and the begin of its backward it may be on the host.
struct Activation {
    base::Nanos made = 0;   ///< end of its forward
    base::Nanos needed = 0; ///< begin of its backward
    base::Nanos out = 0;    ///< duration of the copy to the host
    base::Nanos in = 0;     ///< of the copy back
};

/// Begins of the two copies of an activation.
struct CopyTimes {
    base::Nanos out = 0;
    base::Nanos in = 0;
    friend bool operator==(const CopyTimes &, const CopyTimes &) = default;
};

/// Places the copies of a device's activations: reloads as late as possible before their backwards, from the last to the first;
/// then offloads as early as possible after their forwards, in the remaining time. Returns nothing for an activation whose
/// offload could not end before its reload begins: it stays on the device. `activations` must be in the order of their
/// forwards. In slots, which have room for an offload and a reload, each offload takes the next slot after its forward, and
/// each reload the last one before its backward, whether or not the other half is used (PipeOffload, arXiv 2503.01328).
[[nodiscard]] std::vector<std::optional<CopyTimes>> placeCopies(std::span<const Activation> activations, LaneSharing lane);

} // namespace stagelens::simulate
