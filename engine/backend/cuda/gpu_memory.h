// Handles of a GPU's things, and how its failures are told.
#pragma once

#include "engine/backend/memory.h"
#include "kernels/include/device.h"

#include <memory>
#include <stdexcept>
#include <utility>

namespace stagelens::backend {

/// Throws std::bad_alloc where memory is missing, else std::runtime_error with the text of the failure.
void require(kernels::gpu::Status status, const char *what);
/// Makes the calling thread work with that GPU.
void useGpu(int gpu);

/// Memory of one GPU.
class GpuMemory final : public Memory {
public:
    explicit GpuMemory(int gpu) : m_gpu(gpu) {}
    float *take(std::size_t count) override;
    void giveBack(float *data) noexcept override;
    void poison(std::span<float> values) noexcept override;

private:
    int m_gpu;
};

/// Scratch on a GPU that grows to what is asked for. Nothing in flight may use it when it grows.
template <class T>
class GpuArray {
public:
    explicit GpuArray(Memory &memory) : m_memory(memory) {}
    GpuArray(GpuArray &&other) noexcept
        : m_memory(other.m_memory), m_data(std::exchange(other.m_data, nullptr)), m_count(std::exchange(other.m_count, 0))
    {}
    GpuArray &operator=(GpuArray &&) = delete;
    ~GpuArray() { giveBack(); }

    [[nodiscard]] bool holds(std::int64_t count) const { return count <= m_count; }
    [[nodiscard]] T *data() { return m_data; }
    void grow(std::int64_t count)
    {
        giveBack();
        m_data = reinterpret_cast<T *>(m_memory.take(static_cast<std::size_t>(count) * sizeof(T) / sizeof(float) + 1));
        m_count = count;
    }

private:
    void giveBack() noexcept
    {
        if (m_data != nullptr)
            m_memory.giveBack(reinterpret_cast<float *>(m_data));
        m_data = nullptr;
        m_count = 0;
    }
    Memory &m_memory;
    T *m_data = nullptr;
    std::int64_t m_count = 0;
};

/// Memory of the host that GPUs copy from.
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

/// A stream of a GPU.
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
