// The memory of one device: a slab, divided as planned.
#pragma once

#include "engine/backend/transport.h"
#include "engine/runtime/memory/memory_plan.h"

#include <memory_resource>
#include <span>
#include <stdexcept>

namespace stagelens::runtime {

/// A pass uses a buffer outside its planned lifetime. The message names the pass, the buffer, and the pass that creates or
/// frees it.
class LifetimeError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Tracks the passes of a device through a step and returns the addresses of their buffers. Used by the thread of its device;
/// the pool is thread-safe. Builds with memory checks fill freed buffers with NaN and compare the live bytes with the plan
/// after every pass.
class DeviceMemory {
public:
    /// When the memory of a sent message becomes free.
    enum class Messages : unsigned char {
        InProcess, ///< when the receiver has used it: the plan bounds their number
        Network,   ///< when the network has sent it, at an unknown time
    };
    /// Allocates the slab from `memory`; throws std::bad_alloc if it is exhausted. All arguments must outlive this object.
    DeviceMemory(const DevicePlan &plan, std::span<const schedule::Pass> order, int device,
                 backend::Memory &memory = backend::hostMemory(), Messages messages = Messages::InProcess);

    /// Returns the pool of tensors without a planned lifetime.
    [[nodiscard]] backend::Pool &pool() { return m_pool; }
    /// Allocates a message, which lives until its last user releases it.
    [[nodiscard]] backend::Tensor allocateMessage(std::int64_t floats);
    [[nodiscard]] const DevicePlan &plan() const { return m_plan; }

    /// The order of the following passes.
    enum class Order : unsigned char {
        Planned,
        Free, ///< forward passes of one microbatch, whose buffers overlap in no schedule; not checked
    };
    void begin(Order order);
    /// Begins the lifetimes of the buffers that the pass writes, and those of its reloads; ends those whose copies to the host
    /// its unit has waited for. Call before it receives. Throws LifetimeError if another pass
    /// was planned.
    void enter(const schedule::Pass &pass);
    /// Ends the lifetimes of the buffers that the pass was the last to use.
    void leave();
    /// Returns the address of a live buffer; throws LifetimeError otherwise.
    [[nodiscard]] float *at(schedule::PassValue kind, int stage, int microbatch);
    /// Returns a buffer of the plan, whether it is live or not.
    [[nodiscard]] std::span<float> values(std::size_t buffer);

private:
    /// Which buffers end after the last pass that used them: not those whose copy to the host may still read them.
    enum class Copies : unsigned char { Pending, Joined };
    void count(std::size_t buffer, base::Bytes sign);
    void endLives(Copies copies);
    void compareWithPlan() const;
    [[nodiscard]] std::string passText(std::size_t position) const;

    const DevicePlan &m_plan;
    std::span<const schedule::Pass> m_order;
    int m_device;
    Messages m_messages;
    backend::Memory &m_source;
    backend::Slab m_slab;
    backend::Pool m_pool;
    std::pmr::synchronized_pool_resource m_owners; ///< control blocks of messages; reused, so that a step does not call malloc
    bool m_isChecked = true;
    std::size_t m_entered = 0; ///< passes
    std::size_t m_left = 0;
    std::size_t m_begun = 0; ///< buffers
    std::size_t m_ended = 0;
};

} // namespace stagelens::runtime
