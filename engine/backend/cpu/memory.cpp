#include "engine/backend/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <sys/mman.h>
#include <utility>

namespace stagelens::backend {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

base::Bytes bytesOf(std::size_t count)
{
    return static_cast<base::Bytes>(count * sizeof(float));
}

class HostMemory final : public Memory {
public:
    float *allocate(std::size_t count) override
    {
        // The kernel maps huge pages only to ranges aligned to their size.
        const std::size_t least = std::max<std::size_t>(count, 1) * sizeof(float);
        const std::size_t unit = least >= 2 * kHugePage ? kHugePage : kAlignment;
        const std::size_t bytes = (least + unit - 1) / unit * unit;
        auto *data = static_cast<float *>(std::aligned_alloc(unit, bytes));
        if (data == nullptr)
            throw std::bad_alloc();
        if (unit == kHugePage)
            ::madvise(data, bytes, MADV_HUGEPAGE); // a hint; without it only performance suffers
        return data;
    }
    void release(float *data) noexcept override { std::free(data); }
    void poison(std::span<float> values) noexcept override { std::memset(values.data(), 0xFF, values.size_bytes()); }
};

} // namespace

bool checksMemory()
{
#ifdef STAGELENS_CHECK_MEMORY
    return true;
#else
    return false;
#endif
}

Memory &hostMemory()
{
    static HostMemory memory;
    return memory;
}

void MemoryMeter::add(Category category, base::Bytes bytes)
{
    const std::scoped_lock lock(m_mutex);
    m_live[category] += bytes;
    if (category == kMessages) {
        m_messages = std::max(m_messages, m_live[category]);
        return;
    }
    m_total += bytes;
    if (m_total > m_peak) {
        m_peak = m_total;
        m_atPeak = m_live;
    }
}

BytesByCategory MemoryMeter::live() const
{
    const std::scoped_lock lock(m_mutex);
    return m_live;
}

BytesByCategory MemoryMeter::atPeak() const
{
    const std::scoped_lock lock(m_mutex);
    BytesByCategory peak = m_atPeak;
    peak[kMessages] = m_messages;
    return peak;
}

void MemoryMeter::restartPeak()
{
    const std::scoped_lock lock(m_mutex);
    m_peak = m_total;
    m_atPeak = m_live;
    m_messages = m_live[kMessages];
}

Buffer::Buffer(Pool &pool, float *data, std::size_t size, Category category)
    : m_data(data), m_size(size), m_pool(&pool), m_category(category)
{
    pool.meter().add(category, bytesOf(size));
}

Buffer &Buffer::operator=(Buffer &&other) noexcept
{
    if (this == &other)
        return *this;
    release();
    m_data = std::exchange(other.m_data, nullptr);
    m_size = std::exchange(other.m_size, 0);
    m_pool = std::exchange(other.m_pool, nullptr);
    m_category = other.m_category;
    return *this;
}

void Buffer::release() noexcept
{
    if (m_pool == nullptr)
        return;
    m_pool->meter().remove(m_category, bytesOf(m_size));
    m_pool->release(m_data, m_size);
    m_pool = nullptr;
}

std::size_t Pool::blocksBeyondRegion() const
{
    const std::scoped_lock lock(m_mutex);
    return m_slabs.size();
}

float *Pool::newBlock(std::size_t count)
{
    const std::size_t floats = blockFloats(count);
    if (floats <= m_region.size()) {
        float *block = m_region.data();
        m_region = m_region.subspan(floats);
        return block;
    }
    return m_slabs.emplace_back(floats, m_memory).values().data();
}

Buffer Pool::allocate(std::size_t count, Category category)
{
    const std::scoped_lock lock(m_mutex);
    std::vector<float *> &blocks = m_free[count];
    if (blocks.empty())
        return {*this, newBlock(count), count, category};
    float *block = blocks.back();
    blocks.pop_back();
    return {*this, block, count, category};
}

void Pool::release(float *data, std::size_t count) noexcept
{
    if (checksMemory())
        m_memory.poison({data, count});
    const std::scoped_lock lock(m_mutex);
    // allocate() has created the list. If it cannot grow, the block stays unused until the pool is destroyed.
    try {
        m_free[count].push_back(data);
    } catch (const std::bad_alloc &) {
        return;
    }
}

} // namespace stagelens::backend
