// Measures the speed of single GPU kernels.
#pragma once

#include "engine/backend/cuda/gpu_memory.h"
#include "engine/backend/gpus.h"
#include "kernels/include/bf16.h"
#include "kernels/include/matmul.h"

#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

namespace stagelens::backend {

/// Implements Gpus::benchKernels().
[[nodiscard]] std::vector<KernelFigure> measureKernels(int gpu, BenchShapes shapes, BenchKernels kernels,
                                                       const kernels::Interrupt &interrupt);

/// The arrays of a benchmark on the current GPU; the destructor frees them. Throws std::bad_alloc if memory is exhausted.
class BenchArrays {
public:
    explicit BenchArrays(kernels::gpu::Stream stream) : m_stream(stream) {}
    ~BenchArrays();
    BenchArrays(const BenchArrays &) = delete;
    BenchArrays &operator=(const BenchArrays &) = delete;

    /// Returns uniform random numbers of variance 1, float or Bf16. Zeros would be multiplied with less power and so run
    /// faster.
    template <class T>
    T *random(std::int64_t count)
    {
        return randomBetween<T>(count, -1.7320508F, 1.7320508F);
    }
    template <class T>
    T *randomBetween(std::int64_t count, float least, float most);
    /// Returns random ids below `end`, without repetition if there are enough.
    std::int32_t *ids(std::int64_t count, std::int64_t end);
    /// Returns uninitialised memory.
    template <class T>
    T *space(std::int64_t count)
    {
        return static_cast<T *>(allocate(static_cast<std::size_t>(count) * sizeof(T)));
    }

private:
    void *allocate(std::size_t bytes);
    void *repeated(const void *block, std::size_t blockBytes, std::size_t bytes);

    kernels::gpu::Stream m_stream;
    std::vector<void *> m_arrays;
};

/// Runs benchmarks and collects their figures.
class KernelBench {
public:
    using Work = std::function<kernels::gpu::Status()>;

    KernelBench(int gpu, BenchShapes shapes, const kernels::Interrupt &interrupt)
        : m_shapes(shapes), m_interrupt(interrupt), m_stream(gpu)
    {
        require(kernels::gpu::makeEvent(m_begin), "making an event");
        require(kernels::gpu::makeEvent(m_end), "making an event");
    }
    ~KernelBench()
    {
        kernels::gpu::destroy(m_begin);
        kernels::gpu::destroy(m_end);
    }
    KernelBench(const KernelBench &) = delete;
    KernelBench &operator=(const KernelBench &) = delete;

    [[nodiscard]] kernels::gpu::Stream stream() const { return m_stream.get(); }
    /// Returns the length for the requested shapes.
    [[nodiscard]] std::int64_t length(std::int64_t real, std::int64_t small) const
    {
        return m_shapes == BenchShapes::Real ? real : small;
    }

    /// Warms up, then times `work`. `prepare` runs untimed before each run.
    void measure(KernelFigure figure, const Work &work, const Work &prepare = {});
    /// Adds a figure that is computed from others.
    void add(KernelFigure figure) { m_figures.push_back(std::move(figure)); }
    /// Runs `measureAll`; if memory is exhausted, adds a figure with that name and the fault.
    void attempt(const char *name, FigureGroup group, const std::function<void(BenchArrays &arrays)> &measureAll);

    [[nodiscard]] const std::vector<KernelFigure> &figures() const { return m_figures; }
    [[nodiscard]] std::vector<KernelFigure> takeFigures() { return std::move(m_figures); }

private:
    [[nodiscard]] double secondsOf(const Work &work, int runs);

    BenchShapes m_shapes;
    kernels::Interrupt m_interrupt;
    GpuStream m_stream;
    kernels::gpu::Event m_begin;
    kernels::gpu::Event m_end;
    std::vector<KernelFigure> m_figures;
};

/// "N 4096, h 3072"
[[nodiscard]] std::string benchShape(std::initializer_list<std::pair<const char *, std::int64_t>> lengths);

// The benchmarks, one file each.
void benchProducts(KernelBench &bench, kernels::gpu::Products &products);
void benchOutputLayer(KernelBench &bench, kernels::gpu::Products &products);
void benchMemory(KernelBench &bench);
void benchAttention(KernelBench &bench);
void benchExperts(KernelBench &bench);

} // namespace stagelens::backend
