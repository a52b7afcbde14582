// Measures when a stream reaches its marks, by the steady clock of the host.
#pragma once

#include "engine/backend/compute.h"
#include "engine/base/units.h"
#include "kernels/include/device.h"

#include <cstdint>
#include <vector>

namespace stagelens::backend {

/// Points in a stream, recorded as events that are made once and reused in every step. Call with the GPU of the stream
/// selected.
class GpuMarks {
public:
    GpuMarks() = default;
    GpuMarks(const GpuMarks &) = delete;
    GpuMarks &operator=(const GpuMarks &) = delete;
    ~GpuMarks();

    void clear();
    [[nodiscard]] std::int64_t mark(kernels::gpu::Stream stream);
    [[nodiscard]] kernels::gpu::Event event(std::int64_t mark) const { return m_events[static_cast<std::size_t>(mark)]; }
    /// Returns the seconds from `origin`, the same for all marks since clear(), to a mark that the stream has reached.
    [[nodiscard]] double secondsTo(std::int64_t mark, kernels::gpu::Event origin);

private:
    std::vector<kernels::gpu::Event> m_events;
    std::size_t m_count = 0; ///< marks
    /// Seconds to each mark, computed on demand. Each is measured from the previous mark, because CUDA returns a float, which
    /// is inaccurate for long times.
    std::vector<double> m_times;
};

/// Records two events per pass. The GPU timestamps them, so delays of the host do not matter. The clocks of GPU and host are
/// compared at the begin of every step and, if the times of several GPUs are compared, at its end; in between the drift is
/// assumed linear. Call its functions with the GPU of the stream selected.
class GpuClock {
public:
    explicit GpuClock(kernels::gpu::Stream stream);
    GpuClock(const GpuClock &) = delete;
    GpuClock &operator=(const GpuClock &) = delete;
    ~GpuClock();

    /// Drops all marks and measures the host time of an event on the idle stream, as accurately as a few attempts allow.
    void align();
    [[nodiscard]] std::int64_t mark() { return m_marks.mark(m_stream); }
    /// Returns the time of a mark that the stream has reached.
    [[nodiscard]] base::Nanos timeOf(std::int64_t mark) { return timeOf(m_marks, mark); }
    /// The same for a mark of another stream of the GPU, cleared since align().
    [[nodiscard]] base::Nanos timeOf(GpuMarks &marks, std::int64_t mark);
    /// Compares the clocks again like align(), but keeps the marks.
    [[nodiscard]] ClockFit fit();

private:
    /// An event of the idle stream, by both clocks.
    struct Anchor {
        kernels::gpu::Event event;
        base::Nanos time = 0;        ///< by the host clock
        base::Nanos uncertainty = 0; ///< error bound, in either direction
    };
    void find(Anchor &anchor);

    kernels::gpu::Stream m_stream;
    Anchor m_begin;
    Anchor m_end;
    kernels::gpu::Event m_spare;
    GpuMarks m_marks;
};

} // namespace stagelens::backend
