#include "engine/backend/cuda/gpu_memory.h"

#include "engine/base/text.h"

#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <new>

namespace stagelens::backend {

namespace gpu = kernels::gpu;

namespace {

constexpr std::size_t kPage = 4096;

std::size_t inPages(std::size_t bytes)
{
    return (bytes + kPage - 1) / kPage * kPage;
}

} // namespace

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

void GpuMemory::poisonInOrder(std::span<float> values) noexcept
{
    try {
        useGpu(m_gpu);
        require(gpu::setBytes(m_stream, values.data(), 0xFF, values.size_bytes()), "poisoning memory");
    } catch (const std::exception &) {
        return; // as above
    }
}

float *PinnedMemory::allocate(std::size_t count)
{
    useGpu(m_gpu);
    const std::size_t bytes = std::max<std::size_t>(count, 1) * sizeof(float);
    void *whole = nullptr;
    const gpu::Status status = gpu::allocatePinned(whole, bytes);
    if (!status.failed())
        return static_cast<float *>(whole);
    if (status.code != gpu::kMissingMemory.code)
        require(status, "allocating pinned host memory");
    std::byte *parts = nullptr;
    if (!allocateInParts(bytes, parts))
        throw std::runtime_error(fmt::format("the host refuses {} of pinned memory for what is offloaded; offload less, or "
                                             "raise the memory that the machine or its "
                                             "container lets a process pin",
                                             base::bytesText(static_cast<base::Bytes>(bytes))));
    return reinterpret_cast<float *>(parts);
}

bool PinnedMemory::allocateInParts(std::size_t bytes, std::byte *&data)
{
    const std::size_t all = inPages(bytes);
    data = static_cast<std::byte *>(std::aligned_alloc(kPage, all));
    if (data == nullptr)
        return false;
    std::vector<std::size_t> &parts = m_parts[data];
    std::size_t most = all;
    for (std::size_t done = 0; done < all;) {
        const std::size_t part = std::min(all - done, most);
        if (!gpu::pin(data + done, part).failed()) {
            parts.push_back(part);
            done += part;
        } else if (part > kPage) {
            most = inPages(part / 2);
        } else {
            release(reinterpret_cast<float *>(data));
            return false;
        }
    }
    return true;
}

void PinnedMemory::release(float *data) noexcept
{
    auto *address = reinterpret_cast<std::byte *>(data);
    const auto parts = m_parts.extract(address);
    if (!parts)
        return gpu::releasePinned(data);
    for (std::byte *part = address; const std::size_t bytes : parts.mapped())
        gpu::unpin(std::exchange(part, part + bytes));
    std::free(address);
}

void PinnedMemory::poison(std::span<float> values) noexcept
{
    std::memset(values.data(), 0xFF, values.size_bytes());
}

gpu::Status PinnedMemory::copy(gpu::Stream stream, void *to, const void *from, std::size_t bytes) const
{
    auto *const target = static_cast<std::byte *>(to);
    const auto *const source = static_cast<const std::byte *>(from);
    gpu::Status status;
    for (std::size_t done = 0; done < bytes && !status.failed();) {
        const std::size_t count = std::min(together(source + done, bytes - done), together(target + done, bytes - done));
        status = gpu::copy(stream, target + done, source + done, count);
        done += count;
    }
    return status;
}

std::size_t PinnedMemory::together(const std::byte *data, std::size_t bytes) const
{
    const auto after = m_parts.upper_bound(data);
    if (after == m_parts.begin())
        return bytes;
    const auto &[first, parts] = *std::prev(after);
    const std::byte *end = first;
    for (const std::size_t part : parts)
        if (end += part; data < end)
            return std::min(bytes, static_cast<std::size_t>(end - data));
    return bytes;
}

PinnedFloats::PinnedFloats(std::int64_t count)
{
    require(gpu::allocatePinned(m_data, static_cast<std::size_t>(count) * sizeof(float)), "allocating pinned host memory");
}

} // namespace stagelens::backend
