#include "engine/backend/memory.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <numeric>
#include <utility>

namespace stagelens::backend {
namespace {

constexpr std::size_t kAlignment = 64;

base::Bytes bytesOf(std::size_t count)
{
    return static_cast<base::Bytes>(count * sizeof(float));
}

} // namespace

void MemoryMeter::add(Category category, base::Bytes bytes)
{
    const std::scoped_lock lock(m_mutex);
    m_live[category] += bytes;
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
    return m_atPeak;
}

void MemoryMeter::restartPeak()
{
    const std::scoped_lock lock(m_mutex);
    m_peak = m_total;
    m_atPeak = m_live;
}

Buffer::Buffer(Pool &pool, float *data, std::size_t size, Category category)
    : m_data(data), m_size(size), m_pool(&pool), m_meter(&pool.meter()), m_category(category)
{
    m_meter->add(category, bytesOf(size));
}

Buffer &Buffer::operator=(Buffer &&other) noexcept
{
    if (this == &other)
        return *this;
    release();
    m_data = std::exchange(other.m_data, nullptr);
    m_size = std::exchange(other.m_size, 0);
    m_pool = std::exchange(other.m_pool, nullptr);
    m_meter = std::exchange(other.m_meter, nullptr);
    m_category = other.m_category;
    return *this;
}

void Buffer::chargeTo(MemoryMeter &meter, Category category)
{
    if (m_meter == nullptr)
        return;
    m_meter->remove(m_category, bytesOf(m_size));
    meter.add(category, bytesOf(m_size));
    m_meter = &meter;
    m_category = category;
}

void Buffer::release() noexcept
{
    if (m_pool == nullptr)
        return;
    m_meter->remove(m_category, bytesOf(m_size));
    m_pool->giveBack(m_data, m_size);
    m_pool = nullptr;
}

Pool::~Pool()
{
    for (const auto &[size, blocks] : m_free)
        std::for_each(blocks.begin(), blocks.end(), [](float *block) { std::free(block); });
}

Buffer Pool::take(std::size_t count, Category category)
{
    {
        const std::scoped_lock lock(m_mutex);
        std::vector<float *> &blocks = m_free[count];
        if (!blocks.empty()) {
            float *block = blocks.back();
            blocks.pop_back();
            return Buffer(*this, block, count, category);
        }
    }
    const std::size_t bytes = (count * sizeof(float) / kAlignment + 1) * kAlignment;
    void *block = std::aligned_alloc(kAlignment, bytes);
    if (block == nullptr)
        throw std::bad_alloc();
    return Buffer(*this, static_cast<float *>(block), count, category);
}

Buffer Pool::takeZeroed(std::size_t count, Category category)
{
    Buffer buffer = take(count, category);
    std::fill(buffer.values().begin(), buffer.values().end(), 0.0F);
    return buffer;
}

void Pool::giveBack(float *data, std::size_t count) noexcept
{
    const std::scoped_lock lock(m_mutex);
    // The list exists since take(); only its growth could fail, and then the block is freed instead.
    try {
        m_free[count].push_back(data);
    } catch (const std::bad_alloc &) {
        std::free(data);
    }
}

} // namespace stagelens::backend
