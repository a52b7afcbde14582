// Copies of activations between a device and its host, beside the order of its passes.
#pragma once

#include "engine/base/units.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::schedule {

enum class CopyKind : std::uint8_t {
    Offload, ///< device to host, after the forward
    Reload,  ///< host to device, before the backward
};

/// A copy of the activations of a stage and microbatch. It is anchored at two units of its device (a pass or an overlapped
/// pair), given by the positions of their first passes. Its memory is held between the anchors, however long the copy takes.
struct Copy {
    base::Nanos offset = 0;   ///< planned time from the end of the unit before `launch` to the begin of the copy
    std::uint32_t launch = 0; ///< begins before this unit, after the end of the one before
    std::uint32_t join = 0;   ///< this unit waits for its end
    std::int32_t microbatch = 0;
    std::uint16_t stage = 0;
    CopyKind kind = CopyKind::Offload;
    friend bool operator==(const Copy &, const Copy &) = default;
};

/// Before a unit, a device with copies launches the first offloads; waits for the offloads that the unit joins and frees their
/// device memory; allocates the memory of the unit and of its reloads; launches the other copies; and waits for the reloads
/// that the unit joins. Returns how many of the copies launched before the unit are those first offloads. `copies` are all
/// copies with that launch.
[[nodiscard]] inline std::size_t firstOffloads(std::span<const Copy> copies)
{
    std::size_t count = 0;
    while (count < copies.size() && copies[count].kind == CopyKind::Offload)
        ++count;
    return count;
}

/// Returns the indices of the copies of a kind, in the order of their joins.
[[nodiscard]] std::vector<std::uint32_t> byJoin(std::span<const Copy> copies, CopyKind kind);

} // namespace stagelens::schedule
