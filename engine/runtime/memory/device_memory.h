// What a device holds: a slab, cut as its plan says.
#pragma once

#include "engine/backend/transport.h"
#include "engine/runtime/memory/memory_plan.h"

#include <memory_resource>
#include <span>
#include <stdexcept>

namespace stagelens::runtime {

/// A pass asks for memory outside its planned life. Says which pass, for what, and which pass frees or makes it.
class LifetimeError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Follows the passes of a device through a step and says where their buffers lie. Belongs to the device's thread; the pool is
/// thread-safe. Builds that check memory fill what is freed with NaN and compare, after every pass, what is held with the plan.
class DeviceMemory {
public:
    /// When what is given away is free again.
    enum class Messages : unsigned char {
        HandedOver, ///< when the receiver has used it: the plan knows how many there are at most
        OnTheWire,  ///< when a network has taken it, at some time
    };
    /// Takes the slab from `memory`; throws std::bad_alloc where that has no more. All given must live longer.
    DeviceMemory(const DevicePlan &plan, std::span<const schedule::Pass> order, int device,
                 backend::Memory &memory = backend::hostMemory(), Messages messages = Messages::HandedOver);

    /// For what stays.
    [[nodiscard]] backend::Pool &pool() { return m_pool; }
    /// A tensor to give away, which lives until its last user has done with it.
    [[nodiscard]] backend::Tensor takeMessage(std::int64_t floats);
    [[nodiscard]] const DevicePlan &plan() const { return m_plan; }

    /// How the passes to come follow each other.
    enum class Order : unsigned char {
        Planned,
        Free, ///< forward passes of one microbatch, whose places do not overlap in any schedule; without checks
    };
    void begin(Order order);
    /// Before a pass receives: what it makes begins to live. Throws LifetimeError where another pass was planned.
    void enter(const schedule::Pass &pass);
    /// After its work: what it was the last to need dies.
    void leave();
    /// A living buffer; throws LifetimeError otherwise.
    [[nodiscard]] float *at(simulate::BufferKind kind, int stage, int microbatch);

private:
    [[nodiscard]] std::span<float> values(std::size_t buffer);
    void count(std::size_t buffer, base::Bytes sign);
    void endLives();
    void compareWithPlan() const;
    [[nodiscard]] std::string passText(std::size_t position) const;

    const DevicePlan &m_plan;
    std::span<const schedule::Pass> m_order;
    int m_device;
    Messages m_messages;
    backend::Memory &m_source;
    backend::Slab m_slab;
    backend::Pool m_pool;
    std::pmr::synchronized_pool_resource m_owners; ///< what shares messages: kept, so that a step asks the machine for nothing
    bool m_isChecked = true;
    std::size_t m_entered = 0; ///< passes
    std::size_t m_left = 0;
    std::size_t m_begun = 0; ///< buffers
    std::size_t m_ended = 0;
};

} // namespace stagelens::runtime
