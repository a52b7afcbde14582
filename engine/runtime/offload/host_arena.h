// The host memory of one device: its offloaded activations, in a slab that is divided as planned.
#pragma once

#include "engine/backend/memory.h"
#include "engine/runtime/memory/memory_plan.h"

#include <span>
#include <vector>

namespace stagelens::runtime {

/// Tracks the units of a device through a step and counts the bytes on the host. Used by the thread of its device; copies write
/// to disjoint parts on other threads. Builds with memory checks fill freed memory with NaN.
class HostArena {
public:
    /// Allocates the arena, if the plan has one, from `memory` (backend::Compute::linkedMemory()); throws as it does if it is
    /// exhausted. The arguments must outlive this object.
    HostArena(const DevicePlan &plan, backend::Memory &memory);

    /// Begins a step, with nothing on the host.
    void begin();
    /// Ends the memory of values that an earlier unit waited for, and begins that of the values whose copies are launched
    /// before the unit at that position of the device's order.
    void enter(std::size_t position);
    /// Returns the memory of one of BufferPlan::hostBuffers().
    [[nodiscard]] std::span<float> values(std::size_t buffer);

    /// Returns the bytes now on the host, and the most since begin().
    [[nodiscard]] base::Bytes live() const { return m_live; }
    [[nodiscard]] base::Bytes peak() const { return m_peak; }

private:
    void end(std::size_t buffer);

    const DevicePlan &m_plan;
    backend::Memory &m_memory;
    backend::Slab m_slab;
    std::vector<std::size_t> m_byEnd; ///< of the values on the host
    std::size_t m_begun = 0;
    std::size_t m_ended = 0;
    base::Bytes m_live = 0;
    base::Bytes m_peak = 0;
};

} // namespace stagelens::runtime
