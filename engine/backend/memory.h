// Device memory: buffers with a category, and a pool that counts their bytes.
#pragma once

#include "engine/base/units.h"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace stagelens::backend {

/// The purpose of a buffer. Values equal those of simulate::MemoryCategory.
using Category = std::uint8_t;
inline constexpr std::size_t kCategories = 7;
/// Messages between devices. The receiver frees them, so the sender's memory plan does not contain them.
inline constexpr Category kMessages = 5;
using BytesByCategory = std::array<base::Bytes, kCategories>;

/// Returns whether freed memory is filled with NaN and live memory is compared with the plan after every pass. True in builds
/// with tests (CMake's STAGELENS_CHECK_MEMORY).
[[nodiscard]] bool checksMemory();

/// An allocator of host or device memory. Thread-safe.
class Memory {
public:
    Memory() = default;
    virtual ~Memory() = default;
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    /// Allocates at least one float, aligned to 64 bytes. Throws std::bad_alloc if memory is exhausted.
    [[nodiscard]] virtual float *allocate(std::size_t count) = 0;
    virtual void release(float *data) noexcept = 0;
    /// Fills freed memory with NaN.
    virtual void poison(std::span<float> values) noexcept = 0;
    /// The same after the kernels that the device has enqueued, without waiting for them. Used by the thread of the device.
    virtual void poisonInOrder(std::span<float> values) noexcept { poison(values); }
};
/// Returns the allocator of host memory, which uses huge pages if available. Pages that are never touched take no memory.
[[nodiscard]] Memory &hostMemory();

/// Counts live bytes, and their categories at the peak. Thread-safe.
class MemoryMeter {
public:
    void add(Category category, base::Bytes bytes);
    void remove(Category category, base::Bytes bytes) { add(category, -bytes); }
    [[nodiscard]] BytesByCategory live() const;
    /// Returns the live bytes per category when the sum without messages was greatest since restartPeak(); for messages, their
    /// own greatest value.
    [[nodiscard]] BytesByCategory atPeak() const;
    void restartPeak();

private:
    mutable std::mutex m_mutex;
    BytesByCategory m_live{};
    BytesByCategory m_atPeak{};
    base::Bytes m_total = 0; ///< without messages
    base::Bytes m_peak = 0;
    base::Bytes m_messages = 0; ///< peak
};

/// One allocation, freed as a whole.
class Slab {
public:
    /// `from` must outlive the slab.
    explicit Slab(std::size_t count, Memory &from = hostMemory()) : m_data(from.allocate(count), {&from}), m_count(count) {}
    [[nodiscard]] std::span<float> values() { return {m_data.get(), m_count}; }

private:
    struct Release {
        Memory *memory;
        void operator()(float *data) const { memory->release(data); }
    };
    std::unique_ptr<float[], Release> m_data;
    std::size_t m_count;
};

class Pool;

/// An array of floats in device memory, aligned to 64 bytes. The destructor returns it to its pool, on any thread; the pool
/// must outlive it.
class Buffer {
public:
    Buffer() = default;
    Buffer(Pool &pool, float *data, std::size_t size, Category category);
    Buffer(Buffer &&other) noexcept { *this = std::move(other); }
    Buffer &operator=(Buffer &&other) noexcept;
    ~Buffer() { release(); }

    [[nodiscard]] float *data() { return m_data; }
    [[nodiscard]] const float *data() const { return m_data; }
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] std::span<float> values() { return {m_data, m_size}; }
    [[nodiscard]] std::span<const float> values() const { return {m_data, m_size}; }

private:
    void release() noexcept;
    float *m_data = nullptr;
    std::size_t m_size = 0;
    Pool *m_pool = nullptr;
    Category m_category = 0;
};

/// The memory pool of one device. It reuses freed blocks for requests of the same size, so a step in the steady state allocates
/// nothing. Thread-safe, because a receiver may free what a sender allocated.
class Pool {
public:
    /// Takes blocks from `region`, which must be aligned to 64 bytes and belong to `memory`, and allocates from `memory` only
    /// after the region is used up.
    explicit Pool(std::span<float> region = {}, Memory &memory = hostMemory()) : m_memory(memory), m_region(region) {}
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    /// Returns uninitialised floats. Throws std::bad_alloc if memory is exhausted.
    [[nodiscard]] Buffer allocate(std::size_t count, Category category);
    [[nodiscard]] MemoryMeter &meter() { return m_meter; }
    [[nodiscard]] const MemoryMeter &meter() const { return m_meter; }
    /// Returns the number of blocks allocated outside the region.
    [[nodiscard]] std::size_t blocksBeyondRegion() const;
    /// Returns the floats that a block of `count` occupies in a region.
    [[nodiscard]] static constexpr std::size_t blockFloats(std::size_t count) { return (count + 15) / 16 * 16; }

private:
    friend class Buffer;
    [[nodiscard]] float *newBlock(std::size_t count);
    void release(float *data, std::size_t count) noexcept;

    Memory &m_memory;
    mutable std::mutex m_mutex;
    std::map<std::size_t, std::vector<float *>> m_free; ///< by size
    std::span<float> m_region;                          ///< the unused part
    std::vector<Slab> m_slabs;                          ///< beyond the region
    MemoryMeter m_meter;
};

} // namespace stagelens::backend
