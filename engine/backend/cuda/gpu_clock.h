// When a stream reached its marks, by the host's steady clock.
#pragma once

#include "engine/base/units.h"
#include "kernels/include/device.h"

#include <cstdint>
#include <vector>

namespace stagelens::backend {

/// Two events a pass (engine.md 4.1): the GPU stamps them itself, so that what the host does meanwhile does not show. The GPU's
/// clock and the host's are laid side by side at every step's begin. Used with the stream's GPU in use.
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
    [[nodiscard]] base::Nanos timeOf(std::int64_t mark) const;

private:
    [[nodiscard]] kernels::gpu::Event eventAt(std::size_t index);

    kernels::gpu::Stream m_stream;
    kernels::gpu::Event m_anchor;
    base::Nanos m_anchorTime = 0;
    base::Nanos m_uncertainty = 0;             ///< of that, either way
    std::vector<kernels::gpu::Event> m_events; ///< made once, used in every step
    std::size_t m_marks = 0;
};

} // namespace stagelens::backend
