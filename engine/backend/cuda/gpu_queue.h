// The stream of a device on a GPU: its memory, clock, and transfers between host and GPU.
#pragma once

#include "engine/backend/compute.h"
#include "engine/backend/cuda/gpu_clock.h"
#include "engine/backend/cuda/gpu_memory.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace stagelens::backend {

/// Compute without kernels.
class GpuQueue : public Compute {
public:
    GpuQueue(int gpu, const kernels::Interrupt &interrupt);

    [[nodiscard]] Memory &memory() final { return m_memory; }
    [[nodiscard]] Memory &linkedMemory() final { return m_pinned; }
    [[nodiscard]] std::unique_ptr<HostLane> makeHostLane() final;
    void beginStep() final;
    [[nodiscard]] Mark mark() final;
    void finish() final;
    [[nodiscard]] base::Nanos timeOf(Mark mark) final { return m_clock.timeOf(mark); }
    [[nodiscard]] ClockFit endStep() final;
    void beginPass(const PassLabel &pass) final;
    void endPass() final;

    void write(Values to, std::int64_t count, const std::function<void(std::span<float>, std::int64_t)> &make) final;
    void read(std::span<float> to, ConstValues from) final;
    [[nodiscard]] const std::int32_t *tokens(std::span<const std::int32_t> ids) final;
    void copy(Values to, ConstValues from, std::int64_t count) final;
    void copyRows(Values to, std::int64_t toStride, ConstValues from, std::int64_t fromStride, std::int64_t rows,
                  std::int64_t width) final;
    void zero(Values to, std::int64_t count) final;

protected:
    [[nodiscard]] kernels::gpu::Stream stream() const { return m_stream.get(); }
    [[nodiscard]] GpuMemory &deviceMemory() { return m_memory; }
    /// Enqueues a kernel unless the run was stopped; then its results are not used.
    template <class Kernel>
    void run(const Kernel &kernel, const char *name)
    {
        useGpu(m_gpu);
        if (!m_interrupt())
            require(kernel(), name);
    }
    template <class Scratch>
    Scratch *scratchOf(std::int64_t count)
    {
        const std::int64_t doubles = (count * static_cast<std::int64_t>(sizeof(Scratch)) + 7) / 8;
        if (!m_scratch.holds(doubles))
            m_scratch.grow(doubles);
        return reinterpret_cast<Scratch *>(m_scratch.data());
    }
    /// Returns where kernels put numbers for results().
    [[nodiscard]] double *resultPlaces(std::int64_t count);
    /// Waits for the kernels and reads what they put there.
    void results(std::span<double> values);

private:
    void upload(Values to, std::int64_t count);
    void download(float *to, ConstValues from, std::int64_t count);

    int m_gpu;
    bool m_isNamed = false; ///< the pass has a range in a profiler
    kernels::Interrupt m_interrupt;
    GpuMemory m_memory;
    PinnedMemory m_pinned;
    GpuStream m_stream;
    GpuClock m_clock;
    PinnedFloats m_staging;
    GpuArray<double> m_scratch;
    GpuArray<double> m_result; ///< of the host: a copy of a loss would wait for the copies of activations before it
    std::vector<GpuArray<std::int32_t>> m_tokens;
    std::size_t m_tokensUsed = 0;
};

} // namespace stagelens::backend
