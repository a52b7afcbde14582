// A greedy schedule in the making: passes are placed one after the other, and weight gradients fill the gaps before them.
#pragma once

#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagelens::schedule {

/// The devices of a pipeline with split backwards, each with the passes placed so far and their times (the gap rule of Qi et
/// al., arXiv 2401.10241, section 3.1). Passes of one kind and stage are placed in microbatch order; W in the order of their I.
class GapFilling {
public:
    /// No device will hold more activations (a stage's of one microbatch, from F to the end of W) than its limit.
    GapFilling(const Placement &placement, int microbatches, const Durations &durations,
               const std::vector<std::int64_t> &limits);

    /// Microbatches whose pass of that kind (F or I) and stage is placed.
    [[nodiscard]] int count(PassKind kind, int stage) const { return m_counts[row(kind, stage)]; }
    /// Whether there is a next pass of that kind (F or I) and stage, and all passes that it needs are placed.
    [[nodiscard]] bool isReady(PassKind kind, int stage) const;
    /// When the next pass of that kind (F or I) and stage can begin, as far as another device is concerned; nothing if none is,
    /// or if its pass is not placed.
    [[nodiscard]] std::optional<base::Nanos> arrival(PassKind kind, int stage) const;
    [[nodiscard]] base::Nanos end(int device) const { return m_devices[static_cast<std::size_t>(device)].end; }
    /// How long a device has idled since its first pass.
    [[nodiscard]] base::Nanos idle(int device) const { return m_devices[static_cast<std::size_t>(device)].idle; }
    [[nodiscard]] base::Nanos mostIdle() const { return m_mostIdle; }
    /// Whether so many more F fit now.
    [[nodiscard]] bool fits(int device, int forwards) const;
    /// How long the W takes that must make room for another F; 0 if there is room.
    [[nodiscard]] base::Nanos timeToMakeRoom(int device) const;

    /// Places the next F or I, and before it the W that make room for it. False if it is not ready, or if there is no room even
    /// without W: the order cannot be completed then.
    bool place(PassKind kind, int stage);
    /// Places W while each ends before `ready`; then, if a gap is left, one more where that is worth its delay: if the gap is
    /// longer than `slack`, how much a device may idle at no cost, `whereLonger`, else `whereShorter`.
    void fillGap(int device, base::Nanos ready, base::Nanos slack, bool whereLonger, bool whereShorter);
    void placeAllWeights(int device);

    [[nodiscard]] TimedOrder take();

private:
    struct Device {
        std::vector<Pass> passes;
        std::vector<Pass> weights; ///< W of all I placed
        std::size_t nextWeight = 0;
        base::Nanos end = 0;
        base::Nanos idle = 0;
        std::int64_t room = 0; ///< activations that still fit
    };
    [[nodiscard]] std::size_t row(PassKind kind, int stage) const
    {
        return static_cast<std::size_t>(stage) + (kind == PassKind::I ? static_cast<std::size_t>(m_placement.stages()) : 0);
    }
    [[nodiscard]] bool hasWeight(const Device &device) const { return device.nextWeight < device.weights.size(); }
    void placeWeight(Device &device);
    void append(Device &device, const Pass &pass, base::Nanos ready);

    const Placement &m_placement;
    int m_microbatches;
    const Durations &m_durations;
    std::vector<Device> m_devices;
    std::vector<int> m_counts;       ///< by kind and stage
    std::vector<base::Nanos> m_ends; ///< by kind, stage and microbatch
    base::Nanos m_mostIdle = 0;
};

/// A bound of every order's makespan: a device cannot begin before the first activations have come, and must run all its
/// passes.
[[nodiscard]] base::Nanos leastMakespan(const Placement &placement, int microbatches, const Durations &durations);

/// Whether no order can be shorter than that by more than one part in ten thousand.
[[nodiscard]] constexpr bool isAsGoodAs(base::Nanos makespan, base::Nanos least)
{
    return makespan - least <= least / 10'000;
}

} // namespace stagelens::schedule
