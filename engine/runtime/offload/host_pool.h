// The memory that a rank holds on its host for the whole run (simulate::HostState).
#pragma once

#include "engine/backend/memory.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/shape.h"

#include <numeric>

namespace stagelens::runtime {

class HostPool {
public:
    /// Allocates from `memory` (backend::Compute::linkedMemory()) what the plan needs, if anything; throws as it does if it is
    /// exhausted. `memory` must outlive this object.
    HostPool(const DevicePlan &plan, backend::Memory &memory)
        : m_isUsed(plan.hostPoolFloats > 0), m_slab(size(plan.hostPoolFloats), m_isUsed ? memory : backend::hostMemory()),
          m_pool(m_slab.values().first(size(plan.hostPoolFloats)), memory)
    {}

    /// Returns the pool, or null if the plan keeps nothing on the host.
    [[nodiscard]] backend::Pool *pool() { return m_isUsed ? &m_pool : nullptr; }
    /// Returns the bytes of its buffers.
    [[nodiscard]] base::Bytes live() const
    {
        const backend::BytesByCategory bytes = m_pool.meter().live();
        return std::accumulate(bytes.begin(), bytes.end(), base::Bytes{0});
    }
    /// Returns whether all of them are in the planned memory.
    [[nodiscard]] bool isAsPlanned() const { return m_pool.blocksBeyondRegion() == 0; }

private:
    bool m_isUsed;
    backend::Slab m_slab;
    backend::Pool m_pool;
};

} // namespace stagelens::runtime
