// The assignment of stages to devices.
#pragma once

#include "engine/passes/pass.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagelens::schedule {

/// The assignment of stages to devices. DualPipe and Chimera have two directions: two copies of the model, of which each
/// microbatch uses one.
struct Placement {
    int devices = 1;
    std::vector<std::uint16_t> stageDevice; ///< device of each stage, in the order of the model, direction by direction
    int directions = 1;
    std::vector<std::uint8_t> microbatchDirection; ///< of each microbatch; empty: all 0
    [[nodiscard]] int stages() const { return static_cast<int>(stageDevice.size()) / directions; }
    [[nodiscard]] int deviceOf(int stage, int direction = 0) const
    {
        return stageDevice[static_cast<std::size_t>(direction * stages() + stage)];
    }
    [[nodiscard]] int directionOf(int microbatch) const
    {
        return microbatchDirection.empty() ? 0 : microbatchDirection[static_cast<std::size_t>(microbatch)];
    }
    /// Returns the device of a pass F, B, I or W.
    [[nodiscard]] int deviceOf(const Pass &pass) const { return deviceOf(pass.stage, directionOf(pass.microbatch)); }
    /// Returns whether F, B or I of a stage sends its result to a stage on another device.
    [[nodiscard]] bool crossesDevices(PassKind kind, int stage, int direction) const
    {
        const bool isBackward = kind == PassKind::B || kind == PassKind::I;
        const int to = kind == PassKind::F ? stage + 1 : isBackward ? stage - 1 : -1;
        return to >= 0 && to < stages() && deviceOf(to, direction) != deviceOf(stage, direction);
    }
    [[nodiscard]] bool crossesDevices(const Pass &pass) const
    {
        return crossesDevices(pass.kind, pass.stage, directionOf(pass.microbatch));
    }
    [[nodiscard]] int lastStage() const { return stages() - 1; }
    /// Returns the stages of a device in the order of the model, of all directions; the n-th is its chunk n.
    [[nodiscard]] std::vector<int> stagesOf(int device) const;
    /// Returns the first stage of every device, which is the stage of its vocabulary passes; -1 if it has none.
    [[nodiscard]] std::vector<int> firstStages() const;
    /// Returns the maximum number of stages of one microbatch on a device.
    [[nodiscard]] int chunks() const { return std::max(1, (stages() + devices - 1) / devices); }

    /// One stage per device, in order.
    static Placement linear(int devices) { return looped(devices, 1); }
    /// Stage s on device s mod p (interleaved).
    static Placement looped(int devices, int chunks);
    /// Down and up again, `chunks` times along the devices: two chunks are a V, 2 w chunks are w waves.
    static Placement zigzag(int devices, int chunks);
    /// Two opposite directions, each with one stage per device; even microbatches run down, odd ones up.
    static Placement twoWay(int devices, int microbatches);
    friend bool operator==(const Placement &, const Placement &) = default;
};

} // namespace stagelens::schedule
