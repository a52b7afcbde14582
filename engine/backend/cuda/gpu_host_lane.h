// A lane of copies between a GPU and pinned memory of its host: a stream beside that of the kernels.
#pragma once

#include "engine/backend/cuda/gpu_clock.h"
#include "engine/backend/cuda/gpu_memory.h"
#include "engine/backend/host_lane.h"

namespace stagelens::backend {

/// Orders its stream and that of the kernels by events alone. A copy waits for all kernels enqueued before it, hence for the
/// copies of other lanes that those wait for: its place is free and its source complete.
class GpuHostLane final : public HostLane {
public:
    /// `kernels` is the stream of the kernels, whose clock times the copies. All arguments must outlive this object.
    GpuHostLane(int gpu, kernels::gpu::Stream kernels, GpuClock &clock, const PinnedMemory &pinned);
    /// Waits for the copies.
    ~GpuHostLane() override;
    GpuHostLane(const GpuHostLane &) = delete;
    GpuHostLane &operator=(const GpuHostLane &) = delete;

    std::size_t launch(const Moves &moves) override;
    void join(std::size_t copy) override;
    void finish() override;
    void beginStep() override;
    CopyTimes times(std::size_t copy) override;
    base::Nanos copyNow(const Moves &moves) override;

private:
    void enqueue(const Moves &moves);

    int m_gpu;
    kernels::gpu::Stream m_kernels;
    GpuClock &m_clock;
    const PinnedMemory &m_pinned;
    GpuStream m_stream;
    kernels::gpu::Event m_before; ///< the kernels that the copy at hand waits for
    GpuMarks m_marks;             ///< begin and end of each copy
    GpuMarks m_alone;             ///< of copyNow()
    std::size_t m_count = 0;      ///< copies since beginStep()
};

} // namespace stagelens::backend
