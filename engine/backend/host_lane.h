// Copies between the memory of a device and its host, beside the kernels of the device.
#pragma once

#include "engine/base/units.h"

#include <array>
#include <cstddef>
#include <span>

namespace stagelens::backend {

/// What is copied of one value.
struct Move {
    std::span<float> to;
    std::span<const float> from;
};
/// The values of one copy; unused ones are empty.
using Moves = std::array<Move, 2>;

/// When a copy ran, by the steady clock.
struct CopyTimes {
    base::Nanos begin = 0;
    base::Nanos end = 0;
};

/// One lane of the link of a device: copies run one after the other, in the order of launch(), while the device computes.
/// Events order them with the kernels, so that the host does not wait. Memory of copies must stay valid until finish(), and
/// that of the host be from Compute::linkedMemory(). Used by one thread at a time. Throws like Compute.
class HostLane {
public:
    HostLane() = default;
    virtual ~HostLane() = default;
    HostLane(const HostLane &) = delete;
    HostLane &operator=(const HostLane &) = delete;

    /// Enqueues a copy, which begins after all kernels enqueued so far and all copies that they wait for. Returns its number
    /// since beginStep(), from 0.
    [[nodiscard]] virtual std::size_t launch(const Moves &moves) = 0;
    /// Makes the kernels that are enqueued from now on wait for the end of the copy.
    virtual void join(std::size_t copy) = 0;
    /// Blocks until all copies have ended.
    virtual void finish() = 0;
    /// Forgets the copies, which have ended.
    virtual void beginStep() = 0;
    /// Returns the times of a copy that has ended, as exact as Compute::timeOf().
    [[nodiscard]] virtual CopyTimes times(std::size_t copy) = 0;
    /// Copies between what no kernel uses meanwhile. Blocks until the end, and returns the duration by the device's clock.
    virtual base::Nanos copyNow(const Moves &moves) = 0;
};

} // namespace stagelens::backend
