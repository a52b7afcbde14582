#include "engine/backend/cuda/gpu_memory.h"

#include <fmt/format.h>
#include <new>

namespace stagelens::backend {

namespace gpu = kernels::gpu;

void require(gpu::Status status, const char *what)
{
    if (!status.failed())
        return;
    if (status.code == gpu::kMissingMemory.code)
        throw std::bad_alloc();
    throw std::runtime_error(fmt::format("the GPU failed in {}: {}", what, gpu::explain(status)));
}

void useGpu(int gpu)
{
    require(gpu::use(gpu), "selecting the GPU");
}

float *GpuMemory::allocate(std::size_t count)
{
    useGpu(m_gpu);
    void *data = nullptr;
    require(gpu::allocate(data, std::max<std::size_t>(count, 1) * sizeof(float)), "allocating memory");
    return static_cast<float *>(data);
}

void GpuMemory::release(float *data) noexcept
{
    gpu::release(data);
}

void GpuMemory::poison(std::span<float> values) noexcept
{
    try {
        const GpuStream stream(m_gpu);
        require(gpu::setBytes(stream.get(), values.data(), 0xFF, values.size_bytes()), "poisoning memory");
        require(gpu::finish(stream.get()), "poisoning memory");
    } catch (const std::exception &) {
        return; // the check is skipped; the next call reports the error of the GPU
    }
}

PinnedFloats::PinnedFloats(std::int64_t count)
{
    require(gpu::allocatePinned(m_data, static_cast<std::size_t>(count) * sizeof(float)), "allocating pinned host memory");
}

} // namespace stagelens::backend
