#include "engine/backend/cuda/gpu_queue.h"

#include "engine/backend/cuda/gpu_host_lane.h"
#include "kernels/include/activity.h"
#include "kernels/include/rounding.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;

/// Floats per copy between host and GPU.
constexpr std::int64_t kStaging = std::int64_t{1} << 18;

std::size_t bytesOf(std::int64_t count, base::Precision precision)
{
    return static_cast<std::size_t>(count * base::elementBytes(precision));
}

/// Overwrites the floats of the staging area; widen() reads them again.
template <class T>
void roundInPlace(std::span<float> block)
{
    auto *bytes = reinterpret_cast<std::byte *>(block.data());
    for (const float value : block) {
        const T rounded = kernels::rounded<T>(value);
        std::memcpy(std::exchange(bytes, bytes + sizeof(rounded)), &rounded, sizeof(rounded));
    }
}

/// Reads numbers of 16 bits from the staging area.
template <class T>
void widen(std::span<float> block, const float *staging)
{
    const auto *bytes = reinterpret_cast<const std::byte *>(staging);
    for (float &value : block) {
        T rounded{};
        std::memcpy(&rounded, std::exchange(bytes, bytes + sizeof(rounded)), sizeof(rounded));
        value = kernels::toFloat(rounded);
    }
}

} // namespace

GpuQueue::GpuQueue(int gpu, const kernels::Interrupt &interrupt)
    : m_gpu(gpu), m_interrupt(interrupt), m_memory(gpu), m_pinned(gpu), m_stream(gpu), m_clock(m_stream.get()),
      m_staging(kStaging), m_scratch(m_memory), m_result(m_pinned)
{
    m_memory.follow(m_stream.get());
    m_result.grow(1);
}

std::unique_ptr<HostLane> GpuQueue::makeHostLane()
{
    return std::make_unique<GpuHostLane>(m_gpu, m_stream.get(), m_clock, m_pinned);
}

void GpuQueue::beginStep()
{
    useGpu(m_gpu);
    m_tokensUsed = 0;
    m_clock.align();
}

Compute::Mark GpuQueue::mark()
{
    useGpu(m_gpu);
    return m_clock.mark();
}

void GpuQueue::finish()
{
    useGpu(m_gpu);
    require(gpu::finish(m_stream.get()), "a kernel");
}

ClockFit GpuQueue::endStep()
{
    useGpu(m_gpu);
    return m_clock.fit();
}

void GpuQueue::beginPass(const PassLabel &pass)
{
    m_isNamed = gpu::isWatched();
    if (m_isNamed)
        gpu::beginRange(fmt::format("{} {}, stage {}", pass.kind, pass.microbatch, pass.stage).c_str());
    gpu::beginOwner(pass.owner);
}

void GpuQueue::endPass()
{
    gpu::endOwner();
    if (m_isNamed)
        gpu::endRange();
}

void GpuQueue::write(Values to, std::int64_t count, const std::function<void(std::span<float>, std::int64_t)> &make)
{
    for (std::int64_t first = 0; first < count && !m_interrupt(); first += kStaging) {
        const std::span<float> block(m_staging.data(), static_cast<std::size_t>(std::min(count - first, kStaging)));
        make(block, first);
        if (to.precision() == base::Precision::Bf16)
            roundInPlace<kernels::Bf16>(block);
        else if (to.precision() == base::Precision::Fp16)
            roundInPlace<kernels::Fp16>(block);
        upload(to + first, static_cast<std::int64_t>(block.size()));
    }
}

void GpuQueue::read(std::span<float> to, ConstValues from)
{
    if (from.precision() == base::Precision::Fp32)
        return download(to.data(), from, std::ssize(to));
    for (std::size_t first = 0; first < to.size() && !m_interrupt(); first += kStaging) {
        const std::span<float> block = to.subspan(first, std::min(to.size() - first, std::size_t{kStaging}));
        download(m_staging.data(), from + static_cast<std::int64_t>(first), std::ssize(block));
        if (from.precision() == base::Precision::Bf16)
            widen<kernels::Bf16>(block, m_staging.data());
        else
            widen<kernels::Fp16>(block, m_staging.data());
    }
}

const std::int32_t *GpuQueue::tokens(std::span<const std::int32_t> ids)
{
    if (m_tokensUsed == m_tokens.size())
        m_tokens.emplace_back(m_memory);
    GpuArray<std::int32_t> &place = m_tokens[m_tokensUsed++];
    if (!place.holds(static_cast<std::int64_t>(ids.size())))
        place.grow(static_cast<std::int64_t>(ids.size()));
    run([&] { return gpu::copy(m_stream.get(), place.data(), ids.data(), ids.size_bytes()); }, "a copy of tokens");
    finish();
    return place.data();
}

void GpuQueue::copy(Values to, ConstValues from, std::int64_t count)
{
    if (to.precision() != from.precision())
        throw std::logic_error("a copy between two precisions");
    run([&] { return m_pinned.copy(m_stream.get(), to.address(), from.address(), bytesOf(count, to.precision())); }, "a copy");
}

void GpuQueue::copyRows(Values to, std::int64_t toStride, ConstValues from, std::int64_t fromStride, std::int64_t rows,
                        std::int64_t width)
{
    if (to.precision() != from.precision())
        throw std::logic_error("a copy between two precisions");
    const auto bytes = [&](std::int64_t numbers) { return bytesOf(numbers, to.precision()); };
    if (rows > 0 && width > 0)
        run(
            [&] {
                return gpu::copyRows(m_stream.get(), to.address(), bytes(toStride), from.address(), bytes(fromStride),
                                     static_cast<std::size_t>(rows), bytes(width));
            },
            "a copy of rows");
}

void GpuQueue::zero(Values to, std::int64_t count)
{
    if (count > 0) // the array may be absent
        run([&] { return gpu::setBytes(m_stream.get(), to.address(), 0, bytesOf(count, to.precision())); }, "zeroing");
}

void GpuQueue::upload(Values to, std::int64_t count)
{
    run([&] { return m_pinned.copy(m_stream.get(), to.address(), m_staging.data(), bytesOf(count, to.precision())); },
        "a copy to the GPU");
    finish();
}

void GpuQueue::download(float *to, ConstValues from, std::int64_t count)
{
    run([&] { return m_pinned.copy(m_stream.get(), to, from.address(), bytesOf(count, from.precision())); },
        "a copy from the GPU");
    finish();
}

double *GpuQueue::resultPlaces(std::int64_t count)
{
    if (!m_result.holds(count))
        m_result.grow(count);
    return m_result.data();
}

void GpuQueue::results(std::span<double> values)
{
    finish();
    std::copy_n(m_result.data(), values.size(), values.begin());
}

} // namespace stagelens::backend
