// Memory of a device: buffers that say what they are for, and a pool that counts them.
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

/// What memory is used for. The numbers are those of simulate::MemoryCategory.
using Category = std::uint8_t;
inline constexpr std::size_t kCategories = 7;
/// Messages between devices: the receiver ends their life, so that no plan of the sender's knows when.
inline constexpr Category kMessages = 5;
using BytesByCategory = std::array<base::Bytes, kCategories>;

/// Whether freed memory is filled with NaN and what is live is compared with its plan after every pass: in builds with tests
/// (CMake's STAGELENS_CHECK_MEMORY).
[[nodiscard]] bool checksMemory();

/// Where memory of a kind comes from. Thread-safe.
class Memory {
public:
    Memory() = default;
    virtual ~Memory() = default;
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    /// At least one float, 64-byte aligned, until give back. Throws std::bad_alloc where there is no more.
    [[nodiscard]] virtual float *take(std::size_t count) = 0;
    virtual void giveBack(float *data) noexcept = 0;
    /// Fills what nobody may read any more with NaN.
    virtual void poison(std::span<float> values) noexcept = 0;
};
/// The machine's own; on huge pages where it has them. What is never touched takes none of it.
[[nodiscard]] Memory &hostMemory();

/// Counts live bytes and keeps the moment at which they were most. Thread-safe.
class MemoryMeter {
public:
    void add(Category category, base::Bytes bytes);
    void remove(Category category, base::Bytes bytes) { add(category, -bytes); }
    [[nodiscard]] BytesByCategory live() const;
    /// Live bytes of each category when the sum of all but messages was greatest since the last call of restartPeak(); of
    /// messages the most at any moment.
    [[nodiscard]] BytesByCategory atPeak() const;
    void restartPeak();

private:
    mutable std::mutex m_mutex;
    BytesByCategory m_live{};
    BytesByCategory m_atPeak{};
    base::Bytes m_total = 0; ///< without messages
    base::Bytes m_peak = 0;
    base::Bytes m_messages = 0; ///< the most
};

/// Memory that comes at once and goes at once.
class Slab {
public:
    /// `from` must live longer.
    explicit Slab(std::size_t count, Memory &from = hostMemory()) : m_data(from.take(count), {&from}), m_count(count) {}
    [[nodiscard]] std::span<float> values() { return {m_data.get(), m_count}; }

private:
    struct GiveBack {
        Memory *memory;
        void operator()(float *data) const { memory->giveBack(data); }
    };
    std::unique_ptr<float[], GiveBack> m_data;
    std::size_t m_count;
};

class Pool;

/// An array of floats in a device's memory, aligned to 64 bytes. It goes back to the pool it came from when it is destroyed, on
/// whatever thread; the pool must live longer.
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

/// Memory of one device. Blocks that come back are used again for requests of the same size, so that a step in the steady state
/// allocates nothing. Thread-safe, for a receiver may free what a sender allocated.
class Pool {
public:
    /// Takes its blocks from `region`, aligned to 64 bytes and of that memory, and asks for more only when that is used up.
    explicit Pool(std::span<float> region = {}, Memory &memory = hostMemory()) : m_memory(memory), m_region(region) {}
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    /// Uninitialised floats. Throws std::bad_alloc where the machine has no more.
    [[nodiscard]] Buffer take(std::size_t count, Category category);
    [[nodiscard]] MemoryMeter &meter() { return m_meter; }
    [[nodiscard]] const MemoryMeter &meter() const { return m_meter; }
    /// Blocks that its memory was asked for.
    [[nodiscard]] std::size_t blocksBeyondRegion() const;
    /// Floats that a block of `count` takes of a region.
    [[nodiscard]] static constexpr std::size_t blockFloats(std::size_t count) { return (count + 15) / 16 * 16; }

private:
    friend class Buffer;
    [[nodiscard]] float *newBlock(std::size_t count);
    void giveBack(float *data, std::size_t count) noexcept;

    Memory &m_memory;
    mutable std::mutex m_mutex;
    std::map<std::size_t, std::vector<float *>> m_free; ///< by size
    std::span<float> m_region;                          ///< what is left of it
    std::vector<Slab> m_slabs;                          ///< beyond the region
    MemoryMeter m_meter;
};

} // namespace stagelens::backend
