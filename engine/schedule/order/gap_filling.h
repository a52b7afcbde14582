// Builds a schedule greedily: places one pass after another, and fills the gaps before them with weight gradients.
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

    /// Returns the number of microbatches whose pass of that kind (F or I) and stage is placed.
    [[nodiscard]] int count(PassKind kind, int stage) const { return m_counts[row(kind, stage)]; }
    /// Returns whether there is a next pass of that kind (F or I) and stage, and all its dependencies are placed.
    [[nodiscard]] bool isReady(PassKind kind, int stage) const;
    /// Returns when the result of another device for the next pass of that kind (F or I) and stage arrives; nothing if it needs
    /// none, or if the pass for it is not placed.
    [[nodiscard]] std::optional<base::Nanos> arrival(PassKind kind, int stage) const;
    [[nodiscard]] base::Nanos end(int device) const { return m_devices[static_cast<std::size_t>(device)].end; }
    /// Returns how long a device has idled since its first pass.
    [[nodiscard]] base::Nanos idle(int device) const { return m_devices[static_cast<std::size_t>(device)].idle; }
    [[nodiscard]] base::Nanos mostIdle() const { return m_mostIdle; }
    /// Returns whether that many more F fit now.
    [[nodiscard]] bool fits(int device, int forwards) const;
    /// Returns the duration of the W that must free memory for another F; 0 if there is room.
    [[nodiscard]] base::Nanos timeToMakeRoom(int device) const;

    /// Places the next F or I, after the W that free memory for it. Returns false if the pass is not ready, or if no W is left
    /// to free memory: the order cannot be completed then.
    bool place(PassKind kind, int stage);
    /// Places W while each ends before `ready`. If a gap remains, places one more W: according to `whereLonger` if the gap is
    /// longer than `slack`, the time that a device may idle at no cost, and to `whereShorter` otherwise.
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

/// Returns a lower bound of the makespan of every order: a device cannot begin before the first activations arrive, and must
/// run all its passes.
[[nodiscard]] base::Nanos leastMakespan(const Placement &placement, int microbatches, const Durations &durations);

/// Returns whether no order can be shorter than that by more than one part in ten thousand.
[[nodiscard]] constexpr bool isAsGoodAs(base::Nanos makespan, base::Nanos least)
{
    return makespan - least <= least / 10'000;
}

} // namespace stagelens::schedule
