#include "engine/runtime/offload/host_arena.h"

#include "engine/runtime/plan/shape.h"

#include <algorithm>
#include <numeric>

namespace stagelens::runtime {

HostArena::HostArena(const DevicePlan &plan, backend::Memory &memory)
    : m_plan(plan), m_memory(memory), m_slab(size(plan.hostFloats), plan.hostFloats > 0 ? memory : backend::hostMemory()),
      m_byEnd(plan.hostPlaces.size())
{
    std::iota(m_byEnd.begin(), m_byEnd.end(), std::size_t{0});
    std::ranges::stable_sort(m_byEnd, {}, [&plan](std::size_t i) { return plan.buffers.hostBuffers()[i].last; });
    if (backend::checksMemory())
        m_memory.poison(m_slab.values());
}

void HostArena::begin()
{
    if (backend::checksMemory())
        m_memory.poison(m_slab.values());
    m_begun = m_ended = 0;
    m_live = m_peak = 0;
}

void HostArena::enter(std::size_t position)
{
    const auto all = m_plan.buffers.hostBuffers();
    for (; m_ended < m_byEnd.size() && all[m_byEnd[m_ended]].last < position; ++m_ended)
        end(m_byEnd[m_ended]);
    for (; m_begun < all.size() && all[m_begun].first <= position; ++m_begun)
        m_live += static_cast<base::Bytes>(values(m_begun).size_bytes());
    m_peak = std::max(m_peak, m_live);
}

std::span<float> HostArena::values(std::size_t buffer)
{
    const auto floats = m_plan.buffers.buffers()[m_plan.buffers.hostBuffers()[buffer].from].floats;
    return m_slab.values().subspan(size(m_plan.hostPlaces[buffer]), size(floats));
}

void HostArena::end(std::size_t buffer)
{
    const std::span<float> freed = values(buffer);
    m_live -= static_cast<base::Bytes>(freed.size_bytes());
    if (backend::checksMemory())
        m_memory.poison(freed);
}

} // namespace stagelens::runtime
