// When a stream reached its marks, by the host's steady clock.
#pragma once

#include "engine/backend/compute.h"
#include "engine/base/units.h"
#include "kernels/include/device.h"

#include <cstdint>
#include <vector>

namespace stagelens::backend {

/// Records two events per pass: the GPU stamps them itself, so that what the host does meanwhile does not show. The GPU's
/// clock and the host's are laid side by side at every step's begin and, where times of several GPUs are compared, at its end:
/// between the two moments the clocks drift evenly. Used with the stream's GPU in use.
class GpuClock {
public:
    explicit GpuClock(kernels::gpu::Stream stream);
    GpuClock(const GpuClock &) = delete;
    GpuClock &operator=(const GpuClock &) = delete;
    ~GpuClock();

    /// Forgets all marks, and finds the host's time of a moment of the idle stream as well as a few tries allow.
    void align();
    [[nodiscard]] std::int64_t mark();
    /// Of a mark that the stream has passed.
    [[nodiscard]] base::Nanos timeOf(std::int64_t mark);
    /// Lays the clocks side by side again, as align() does, with the marks kept.
    [[nodiscard]] ClockFit fit();

private:
    /// A moment of the idle stream by both clocks.
    struct Anchor {
        kernels::gpu::Event event;
        base::Nanos time = 0;        ///< by the host's
        base::Nanos uncertainty = 0; ///< of that, either way
    };
    [[nodiscard]] kernels::gpu::Event eventAt(std::size_t index);
    void find(Anchor &anchor);

    kernels::gpu::Stream m_stream;
    Anchor m_begin;
    Anchor m_end;
    kernels::gpu::Event m_spare;
    std::vector<kernels::gpu::Event> m_events; ///< made once, used in every step
    std::size_t m_marks = 0;
    /// Seconds after m_begin of the first marks, as many as were asked for: each is measured from the one before, for the GPU
    /// answers a float, which of a long time is coarse.
    std::vector<double> m_times;
};

} // namespace stagelens::backend
