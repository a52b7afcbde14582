#include "engine/backend/cuda/gpu_clock.h"

#include "engine/backend/cuda/gpu_memory.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;

constexpr int kTries = 20;
constexpr base::Nanos kResolution = 500; ///< of an event, according to the CUDA runtime documentation

base::Nanos now()
{
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

} // namespace

GpuClock::GpuClock(gpu::Stream stream) : m_stream(stream)
{
    for (gpu::Event *event : {&m_begin.event, &m_end.event, &m_spare})
        require(gpu::makeEvent(*event), "making an event");
}

GpuClock::~GpuClock()
{
    for (const gpu::Event event : {m_begin.event, m_end.event, m_spare})
        gpu::destroy(event);
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

void GpuClock::find(Anchor &anchor)
{
    require(gpu::finish(m_stream), "a kernel");
    for (int attempt = 0; attempt < kTries; ++attempt) {
        const base::Nanos before = now();
        require(gpu::record(m_spare, m_stream), "recording an event");
        require(gpu::finish(m_stream), "recording an event");
        const base::Nanos half = (now() - before + 1) / 2;
        if (attempt > 0 && half >= anchor.uncertainty)
            continue;
        anchor.uncertainty = half;
        anchor.time = before + half;
        std::swap(m_spare, anchor.event);
    }
}

void GpuClock::align()
{
    m_marks = 0;
    m_times.clear();
    find(m_begin);
}

std::int64_t GpuClock::mark()
{
    require(gpu::record(eventAt(m_marks), m_stream), "recording an event");
    return static_cast<std::int64_t>(m_marks++);
}

base::Nanos GpuClock::timeOf(std::int64_t mark)
{
    for (std::size_t next = m_times.size(); next <= static_cast<std::size_t>(mark); ++next) {
        double seconds = 0;
        require(gpu::elapsed(seconds, next == 0 ? m_begin.event : m_events[next - 1], m_events[next]), "reading an event");
        m_times.push_back(seconds + (next == 0 ? 0 : m_times[next - 1]));
    }
    return m_begin.time + std::llround(m_times[static_cast<std::size_t>(mark)] * 1e9);
}

ClockFit GpuClock::fit()
{
    find(m_end);
    double seconds = 0;
    require(gpu::elapsed(seconds, m_begin.event, m_end.event), "reading an event");
    const double measured = seconds * 1e9;
    ClockFit fit{.from = m_begin.time, .uncertainty = std::max(m_begin.uncertainty, m_end.uncertainty) + kResolution};
    if (measured > 0)
        fit.rate = static_cast<double>(m_end.time - m_begin.time) / measured;
    return fit;
}

} // namespace stagelens::backend
