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
using BytesByCategory = std::array<base::Bytes, kCategories>;

/// Counts live bytes and keeps the moment at which they were most. Thread-safe.
class MemoryMeter {
public:
    void add(Category category, base::Bytes bytes);
    void remove(Category category, base::Bytes bytes) { add(category, -bytes); }
    [[nodiscard]] BytesByCategory live() const;
    /// Live bytes of each category when their sum was greatest since the last call of restartPeak().
    [[nodiscard]] BytesByCategory atPeak() const;
    void restartPeak();

private:
    mutable std::mutex m_mutex;
    BytesByCategory m_live{};
    BytesByCategory m_atPeak{};
    base::Bytes m_total = 0;
    base::Bytes m_peak = 0;
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
    /// Counts the buffer for another device or use from now on; its memory stays where it is.
    void chargeTo(MemoryMeter &meter, Category category);

private:
    void release() noexcept;
    float *m_data = nullptr;
    std::size_t m_size = 0;
    Pool *m_pool = nullptr;
    MemoryMeter *m_meter = nullptr;
    Category m_category = 0;
};

/// Memory of one device. Blocks that come back are used again for requests of the same size, so that a step in the steady state
/// allocates nothing. Thread-safe, for a receiver may free what a sender allocated.
class Pool {
public:
    Pool() = default;
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;
    ~Pool();

    /// Uninitialised floats. Throws std::bad_alloc where the machine has no more.
    [[nodiscard]] Buffer take(std::size_t count, Category category);
    /// Floats that are 0.
    [[nodiscard]] Buffer takeZeroed(std::size_t count, Category category);
    [[nodiscard]] MemoryMeter &meter() { return m_meter; }
    [[nodiscard]] const MemoryMeter &meter() const { return m_meter; }

private:
    friend class Buffer;
    void giveBack(float *data, std::size_t count) noexcept;

    std::mutex m_mutex;
    std::map<std::size_t, std::vector<float *>> m_free; ///< by size
    MemoryMeter m_meter;
};

} // namespace stagelens::backend
