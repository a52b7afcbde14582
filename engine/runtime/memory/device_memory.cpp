#include "engine/runtime/memory/device_memory.h"

#include "engine/runtime/plan/shape.h"

#include <fmt/format.h>

namespace stagelens::runtime {

using simulate::MemoryCategory;
using simulate::PlannedBuffer;

DeviceMemory::DeviceMemory(const DevicePlan &plan, std::span<const schedule::Pass> order, int device, backend::Memory &memory,
                           Messages messages)
    : m_plan(plan), m_order(order), m_device(device), m_messages(messages), m_source(memory),
      m_slab(size(plan.slabFloats), memory), m_pool(m_slab.values().first(size(plan.poolFloats)), memory)
{
    if (backend::checksMemory())
        m_source.poison(m_slab.values().subspan(size(plan.poolFloats)));
}

backend::Tensor DeviceMemory::allocateMessage(std::int64_t floats)
{
    return std::allocate_shared<backend::Buffer>(std::pmr::polymorphic_allocator<backend::Buffer>(&m_owners),
                                                 m_pool.allocate(size(floats), backend::kMessages));
}

std::span<float> DeviceMemory::values(std::size_t buffer)
{
    return m_slab.values().subspan(size(m_plan.poolFloats + m_plan.places[buffer]),
                                   size(m_plan.buffers.buffers()[buffer].floats));
}

void DeviceMemory::count(std::size_t buffer, base::Bytes sign)
{
    const PlannedBuffer &planned = m_plan.buffers.buffers()[buffer];
    m_pool.meter().add(category(planned.category), sign * planned.floats * static_cast<base::Bytes>(sizeof(float)));
}

void DeviceMemory::endLives(Copies copies)
{
    const auto byEnd = m_plan.buffers.byEnd();
    const auto buffers = m_plan.buffers.buffers();
    for (; m_ended < byEnd.size() && buffers[byEnd[m_ended]].last < m_left; ++m_ended) {
        if (copies == Copies::Pending && buffers[byEnd[m_ended]].isOffloaded)
            return;
        if (buffers[byEnd[m_ended]].first >= m_entered) // never begun in a step that was stopped
            continue;
        if (backend::checksMemory())
            m_source.poisonInOrder(values(byEnd[m_ended]));
        count(byEnd[m_ended], -1);
    }
}

void DeviceMemory::begin(Order order)
{
    m_isChecked = order == Order::Planned;
    m_left = m_order.size(); // also drops what a stopped step left
    endLives(Copies::Joined);
    m_entered = m_left = m_begun = m_ended = 0;
}

void DeviceMemory::enter(const schedule::Pass &pass)
{
    if (!m_isChecked)
        return;
    if (m_entered == m_order.size() || m_order[m_entered] != pass)
        throw LifetimeError(fmt::format("device {} runs {}, but its memory is planned for {} as the next pass", m_device,
                                        schedule::text(pass), passText(m_entered)));
    endLives(Copies::Joined);
    const auto buffers = m_plan.buffers.buffers();
    for (; m_begun < buffers.size() && buffers[m_begun].first == m_entered; ++m_begun)
        count(m_begun, 1);
    ++m_entered;
}

void DeviceMemory::leave()
{
    if (!m_isChecked)
        return;
    ++m_left;
    endLives(Copies::Pending);
    if (backend::checksMemory() && m_left == m_entered)
        compareWithPlan();
}

float *DeviceMemory::at(schedule::PassValue kind, int stage, int microbatch)
{
    std::uint32_t place = m_plan.buffers.find({kind, stage, microbatch});
    const auto fail = [&](std::string_view why) {
        throw LifetimeError(fmt::format("device {}, {} uses the {} of microbatch {}, {}", m_device, passText(m_left),
                                        name(kind), microbatch, why));
    };
    if (place == simulate::BufferPlan::kAbsent)
        fail("which no planned pass writes");
    const auto buffers = m_plan.buffers.buffers();
    while (buffers[place].before != simulate::kNoPart && (!m_isChecked || buffers[place].first >= m_entered))
        place = buffers[place].before; // not reloaded or made again yet
    const PlannedBuffer &buffer = buffers[place];
    if (m_isChecked && buffer.first >= m_entered)
        fail(fmt::format("which {} writes later", passText(buffer.first)));
    if (m_isChecked && buffer.last < m_left && buffer.isOffloaded)
        fail(fmt::format("which is on the host since {}", passText(buffer.last + 1)));
    if (m_isChecked && buffer.last < m_left)
        fail(fmt::format("which {} has freed", passText(buffer.last)));
    return values(place).data();
}

void DeviceMemory::compareWithPlan() const
{
    if (m_messages == Messages::InProcess && m_pool.blocksBeyondRegion() > 0)
        throw LifetimeError(fmt::format("device {} allocated more blocks than planned, by {}", m_device, passText(m_left - 1)));
    const backend::BytesByCategory held = m_pool.meter().live();
    const simulate::MemoryByCategory &planned = m_plan.after[m_left - 1];
    const auto isRight = [&](std::size_t i) {
        const bool varies = i == category(MemoryCategory::Parameters) && m_plan.weightVersions > 1;
        return i == backend::kMessages || held[i] == planned[i] || (varies && held[i] < planned[i]);
    };
    for (std::size_t i = 0; i < held.size(); ++i)
        if (!isRight(i))
            throw LifetimeError(fmt::format("device {} has {} bytes of {} after {}, but {} are planned", m_device, held[i],
                                            name(static_cast<MemoryCategory>(i)), passText(m_left - 1), planned[i]));
}

std::string DeviceMemory::passText(std::size_t position) const
{
    return position < m_order.size() ? fmt::format("{} at position {}", schedule::text(m_order[position]), position)
                                     : std::string("the end of the step");
}

} // namespace stagelens::runtime
