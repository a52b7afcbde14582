// Owners of GPU resources, and exceptions for GPU errors.
#pragma once

#include "engine/backend/memory.h"
#include "kernels/include/device.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stagelens::backend {

/// Throws std::bad_alloc if memory is exhausted, and std::runtime_error with the message of any other error.
void require(kernels::gpu::Status status, const char *what);
/// Selects that GPU on the calling thread.
void useGpu(int gpu);

/// The memory of one GPU.
class GpuMemory final : public Memory {
public:
    explicit GpuMemory(int gpu) : m_gpu(gpu) {}
    /// Makes poisonInOrder() follow the work of that stream.
    void follow(kernels::gpu::Stream stream) { m_stream = stream; }
    float *allocate(std::size_t count) override;
    void release(float *data) noexcept override;
    void poison(std::span<float> values) noexcept override;
    void poisonInOrder(std::span<float> values) noexcept override;

private:
    int m_gpu;
    kernels::gpu::Stream m_stream;
};

/// Pinned memory of the host, from which a GPU copies beside its kernels. One allocation is one block or, if the host refuses
/// that, several adjacent ones. Used by one thread at a time.
class PinnedMemory final : public Memory {
public:
    explicit PinnedMemory(int gpu) : m_gpu(gpu) {}
    PinnedMemory(const PinnedMemory &) = delete;
    PinnedMemory &operator=(const PinnedMemory &) = delete;
    ~PinnedMemory() override = default;

    /// Throws std::runtime_error, with the cause and the remedy, if the host has too little.
    float *allocate(std::size_t count) override;
    void release(float *data) noexcept override;
    void poison(std::span<float> values) noexcept override;
    /// Enqueues a copy between arrays in any memory; what is pinned in several blocks is copied block by block.
    [[nodiscard]] kernels::gpu::Status copy(kernels::gpu::Stream stream, void *to, const void *from, std::size_t bytes) const;

private:
    /// Returns how many of the bytes are in the pinned block of the first; all if it is in other memory.
    [[nodiscard]] std::size_t together(const std::byte *data, std::size_t bytes) const;
    /// Pins memory that the process has allocated, half as much at a time after each refusal. Returns false if a page is
    /// refused.
    [[nodiscard]] bool allocateInParts(std::size_t bytes, std::byte *&data);

    int m_gpu;
    std::map<const std::byte *, std::vector<std::size_t>> m_parts; ///< bytes of the blocks of each allocation that has several
};

/// Growable scratch on a GPU. Does not free earlier blocks before it is destroyed: freeing waits for all work of the GPU,
/// including NCCL kernels that may wait for work that this thread has yet to enqueue.
template <class T>
class GpuArray {
public:
    explicit GpuArray(Memory &memory) : m_memory(memory) {}
    GpuArray(GpuArray &&other) noexcept
        : m_memory(other.m_memory), m_data(std::exchange(other.m_data, nullptr)), m_count(std::exchange(other.m_count, 0)),
          m_before(std::move(other.m_before))
    {}
    GpuArray &operator=(GpuArray &&) = delete;
    ~GpuArray()
    {
        for (T *data : m_before)
            release(data);
        release(m_data);
    }

    [[nodiscard]] bool holds(std::int64_t count) const { return count <= m_count; }
    [[nodiscard]] T *data() { return m_data; }
    /// Grows to at least twice the size, which bounds the total of earlier blocks.
    void grow(std::int64_t count)
    {
        const std::int64_t most = std::max(count, 2 * m_count);
        m_before.reserve(m_before.size() + 1);
        auto *data = reinterpret_cast<T *>(m_memory.allocate(static_cast<std::size_t>(most) * sizeof(T) / sizeof(float) + 1));
        if (m_data != nullptr)
            m_before.push_back(m_data);
        m_data = data;
        m_count = most;
    }

private:
    void release(T *data) noexcept
    {
        if (data != nullptr)
            m_memory.release(reinterpret_cast<float *>(data));
    }
    Memory &m_memory;
    T *m_data = nullptr;
    std::int64_t m_count = 0;
    std::vector<T *> m_before;
};

/// Pinned host memory.
class PinnedFloats {
public:
    explicit PinnedFloats(std::int64_t count);
    PinnedFloats(const PinnedFloats &) = delete;
    PinnedFloats &operator=(const PinnedFloats &) = delete;
    ~PinnedFloats() { kernels::gpu::releasePinned(m_data); }
    [[nodiscard]] float *data() { return static_cast<float *>(m_data); }

private:
    void *m_data = nullptr;
};

/// Owns a stream of a GPU.
class GpuStream {
public:
    explicit GpuStream(int gpu)
    {
        useGpu(gpu);
        require(kernels::gpu::makeStream(m_stream), "making a stream");
    }
    GpuStream(const GpuStream &) = delete;
    GpuStream &operator=(const GpuStream &) = delete;
    ~GpuStream() { kernels::gpu::destroy(m_stream); }
    [[nodiscard]] kernels::gpu::Stream get() const { return m_stream; }

private:
    kernels::gpu::Stream m_stream;
};

} // namespace stagelens::backend
