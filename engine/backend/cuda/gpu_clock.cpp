#include "engine/backend/cuda/gpu_clock.h"

#include "engine/backend/cuda/gpu_memory.h"

#include <chrono>
#include <cmath>
#include <utility>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;

constexpr int kTries = 8;

base::Nanos now()
{
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

} // namespace

GpuClock::GpuClock(gpu::Stream stream) : m_stream(stream)
{
    require(gpu::makeEvent(m_anchor), "making an event");
}

GpuClock::~GpuClock()
{
    gpu::destroy(m_anchor);
    for (const gpu::Event event : m_events)
        gpu::destroy(event);
}

gpu::Event GpuClock::eventAt(std::size_t index)
{
    if (index == m_events.size()) {
        gpu::Event event;
        require(gpu::makeEvent(event), "making an event");
        m_events.push_back(event);
    }
    return m_events[index];
}

void GpuClock::align()
{
    m_marks = 0;
    require(gpu::finish(m_stream), "a kernel");
    for (int attempt = 0; attempt < kTries; ++attempt) {
        const gpu::Event event = eventAt(0);
        const base::Nanos before = now();
        require(gpu::record(event, m_stream), "recording an event");
        require(gpu::finish(m_stream), "recording an event");
        const base::Nanos half = (now() - before + 1) / 2;
        if (attempt > 0 && half >= m_uncertainty)
            continue;
        m_uncertainty = half;
        m_anchorTime = before + half;
        std::swap(m_events[0], m_anchor);
    }
}

std::int64_t GpuClock::mark()
{
    require(gpu::record(eventAt(m_marks), m_stream), "recording an event");
    return static_cast<std::int64_t>(m_marks++);
}

base::Nanos GpuClock::timeOf(std::int64_t mark) const
{
    double seconds = 0;
    require(gpu::elapsed(seconds, m_anchor, m_events[static_cast<std::size_t>(mark)]), "reading an event");
    return m_anchorTime + std::llround(seconds * 1e9);
}

} // namespace stagelens::backend
