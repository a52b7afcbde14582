#include "engine/backend/cuda/gpu_host_lane.h"

#include <algorithm>
#include <cmath>

namespace stagelens::backend {

namespace gpu = kernels::gpu;

namespace {

constexpr const char *kCopy = "a copy between the host and the GPU";

} // namespace

GpuHostLane::GpuHostLane(int gpu, gpu::Stream kernels, GpuClock &clock, const PinnedMemory &pinned)
    : m_gpu(gpu), m_kernels(kernels), m_clock(clock), m_pinned(pinned), m_stream(gpu)
{
    require(gpu::makeEvent(m_before), "making an event");
}

GpuHostLane::~GpuHostLane()
{
    (void)gpu::finish(m_stream.get());
    gpu::destroy(m_before);
}

std::size_t GpuHostLane::launch(const Moves &moves)
{
    useGpu(m_gpu);
    require(gpu::record(m_before, m_kernels), "recording an event");
    require(gpu::wait(m_stream.get(), m_before), "waiting for kernels");
    (void)m_marks.mark(m_stream.get());
    enqueue(moves);
    (void)m_marks.mark(m_stream.get());
    return m_count++;
}

void GpuHostLane::join(std::size_t copy)
{
    useGpu(m_gpu);
    require(gpu::wait(m_kernels, m_marks.event(2 * static_cast<std::int64_t>(copy) + 1)), "waiting for a copy");
}

void GpuHostLane::finish()
{
    useGpu(m_gpu);
    require(gpu::finish(m_stream.get()), kCopy);
}

void GpuHostLane::beginStep()
{
    m_marks.clear();
    m_count = 0;
}

CopyTimes GpuHostLane::times(std::size_t copy)
{
    useGpu(m_gpu);
    const auto begin = 2 * static_cast<std::int64_t>(copy);
    return {m_clock.timeOf(m_marks, begin), m_clock.timeOf(m_marks, begin + 1)};
}

base::Nanos GpuHostLane::copyNow(const Moves &moves)
{
    useGpu(m_gpu);
    m_alone.clear();
    const std::int64_t begin = m_alone.mark(m_stream.get());
    enqueue(moves);
    const std::int64_t end = m_alone.mark(m_stream.get());
    finish();
    return std::llround(m_alone.secondsTo(end, m_alone.event(begin)) * 1e9);
}

void GpuHostLane::enqueue(const Moves &moves)
{
    for (const Move &move : moves)
        require(m_pinned.copy(m_stream.get(), move.to.data(), move.from.data(), move.from.size_bytes()), kCopy);
}

} // namespace stagelens::backend
