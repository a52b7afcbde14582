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

GpuMarks::~GpuMarks()
{
    for (const gpu::Event event : m_events)
        gpu::destroy(event);
}

void GpuMarks::clear()
{
    m_count = 0;
    m_times.clear();
}

std::int64_t GpuMarks::mark(gpu::Stream stream)
{
    if (m_count == m_events.size()) {
        gpu::Event event;
        require(gpu::makeEvent(event), "making an event");
        m_events.push_back(event);
    }
    require(gpu::record(m_events[m_count], stream), "recording an event");
    return static_cast<std::int64_t>(m_count++);
}

double GpuMarks::secondsTo(std::int64_t mark, gpu::Event origin)
{
    for (std::size_t next = m_times.size(); next <= static_cast<std::size_t>(mark); ++next) {
        double seconds = 0;
        require(gpu::elapsed(seconds, next == 0 ? origin : m_events[next - 1], m_events[next]), "reading an event");
        m_times.push_back(seconds + (next == 0 ? 0 : m_times[next - 1]));
    }
    return m_times[static_cast<std::size_t>(mark)];
}

GpuClock::GpuClock(gpu::Stream stream) : m_stream(stream)
{
    for (gpu::Event *event : {&m_begin.event, &m_end.event, &m_spare})
        require(gpu::makeEvent(*event), "making an event");
}

GpuClock::~GpuClock()
{
    for (const gpu::Event event : {m_begin.event, m_end.event, m_spare})
        gpu::destroy(event);
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
    m_marks.clear();
    find(m_begin);
}

base::Nanos GpuClock::timeOf(GpuMarks &marks, std::int64_t mark)
{
    return m_begin.time + std::llround(marks.secondsTo(mark, m_begin.event) * 1e9);
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
