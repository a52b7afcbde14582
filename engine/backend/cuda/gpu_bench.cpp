#include "engine/backend/cuda/gpu_bench.h"

#include "engine/backend/cuda/gpu_clock.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <new>
#include <type_traits>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;
using kernels::Bf16;

/// A sample has many short runs, to hide the resolution of events (0.5 us) and the launch overhead.
constexpr double kSampleSeconds = 4e-3;
constexpr int kMostRuns = 200;
constexpr int kSamples = 15;
/// The clock of an idle GPU is low, and the first figure is the reference of the others. A longer warm-up would reach the limit
/// of power, which the others, with pauses in between, do not: an H200 computes 698 instead of 830 TFLOP/s there.
constexpr double kWarmUpSeconds = 0.05;
/// Random numbers are generated for one block and repeated, because generating more on the host would take too long.
constexpr std::int64_t kRandomBlock = std::int64_t{1} << 20;

/// SplitMix64 (Steele et al., 2014).
class Numbers {
public:
    /// Returns 24 random bits in [0, 1).
    float unit() { return static_cast<float>(next() >> 40U) * 0x1p-24F; }
    std::uint64_t next()
    {
        std::uint64_t x = m_state += 0x9e3779b97f4a7c15ULL;
        x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31U);
    }

private:
    std::uint64_t m_state = 20261122;
};

/// Measures the largest product, of random numbers.
template <class T>
void benchLargestProduct(KernelBench &bench, gpu::Products &products, const char *type)
{
    bench.attempt("largest product", FigureGroup::Ceiling, [&](BenchArrays &arrays) {
        const std::int64_t n = bench.length(8192, 24);
        gpu::Product<T> product;
        product.rows = product.columns = product.inner = product.stride = n;
        product.a = {arrays.random<T>(n * n), n};
        product.b = {arrays.random<T>(n * n), n, kernels::Form::Transposed};
        product.c = arrays.space<T>(n * n);
        const auto length = static_cast<double>(n);
        bench.measure({.group = FigureGroup::Ceiling,
                       .name = "largest product",
                       .type = type,
                       .shape = benchShape({{"m", n}, {"n", n}, {"k", n}}),
                       .flops = 2 * length * length * length},
                      [&] { return products.multiply(bench.stream(), product); });
    });
}

void benchCopy(KernelBench &bench)
{
    bench.attempt("copy", FigureGroup::Ceiling, [&](BenchArrays &arrays) {
        const std::int64_t bytes = bench.length(std::int64_t{1} << 30, 4096);
        const auto *from = arrays.random<float>(bytes / 4);
        auto *to = arrays.space<float>(bytes / 4);
        bench.measure({.group = FigureGroup::Ceiling,
                       .name = "copy",
                       .type = "bytes",
                       .shape = benchShape({{"bytes", bytes}}),
                       .bytes = 2 * static_cast<double>(bytes)},
                      [&] { return gpu::copy(bench.stream(), to, from, static_cast<std::size_t>(bytes)); });
    });
}

/// Measures copies between the GPU and its host: each way alone, and both at once.
void benchHostLink(KernelBench &bench, int device)
{
    bench.attempt("copy to the host", FigureGroup::HostLink, [&](BenchArrays &arrays) {
        const std::int64_t bytes = bench.length(std::int64_t{1} << 28, 4096);
        const auto count = static_cast<std::size_t>(bytes);
        PinnedFloats sent(bytes / 4);
        PinnedFloats received(bytes / 4);
        std::fill_n(sent.data(), bytes / 4, 1.0F);
        const auto *from = arrays.random<float>(bytes / 4);
        auto *to = arrays.space<float>(bytes / 4);
        const auto figure = [bytes](const char *name, const char *type = "bytes") {
            return KernelFigure{.group = FigureGroup::HostLink,
                                .name = name,
                                .type = type,
                                .shape = benchShape({{"bytes", bytes}}),
                                .bytes = static_cast<double>(bytes)};
        };
        bench.measure(figure("copy to the host"), [&] { return gpu::copy(bench.stream(), received.data(), from, count); });
        bench.measure(figure("copy from the host"), [&] { return gpu::copy(bench.stream(), to, sent.data(), count); });
        const GpuStream other(device);
        GpuMarks marks;
        bench.measure(figure("copies both ways at once", "bytes each way"), [&] {
            marks.clear();
            require(gpu::wait(other.get(), marks.event(marks.mark(bench.stream()))), "waiting for a copy");
            require(gpu::copy(other.get(), to, sent.data(), count), "a copy to the GPU");
            require(gpu::copy(bench.stream(), received.data(), from, count), "a copy from the GPU");
            return gpu::wait(bench.stream(), marks.event(marks.mark(other.get())));
        });
        require(gpu::finish(other.get()), "a copy to the GPU");
    });
}

} // namespace

BenchArrays::~BenchArrays()
{
    (void)gpu::finish(m_stream);
    for (void *array : m_arrays)
        gpu::release(array);
}

void *BenchArrays::allocate(std::size_t bytes)
{
    void *array = nullptr;
    require(gpu::allocate(array, std::max<std::size_t>(bytes, 1)), "taking memory");
    m_arrays.push_back(array);
    return array;
}

void *BenchArrays::repeated(const void *block, std::size_t blockBytes, std::size_t bytes)
{
    auto *array = static_cast<std::byte *>(allocate(bytes));
    for (std::size_t done = 0; done < bytes;) {
        // Copies the first block from the host and repeats it on the GPU.
        const std::size_t count = std::min(bytes - done, done == 0 ? blockBytes : done);
        require(gpu::copy(m_stream, array + done, done == 0 ? block : array, count), "a copy to the GPU");
        done += count;
    }
    require(gpu::finish(m_stream), "a copy to the GPU");
    return array;
}

template <class T>
T *BenchArrays::randomBetween(std::int64_t count, float least, float most)
{
    Numbers numbers;
    std::vector<T> block(static_cast<std::size_t>(std::min(count, kRandomBlock)));
    for (T &value : block) {
        const float number = least + (most - least) * numbers.unit();
        if constexpr (std::is_same_v<T, float>)
            value = number;
        else
            value = kernels::toBf16(number);
    }
    return static_cast<T *>(repeated(block.data(), block.size() * sizeof(T), static_cast<std::size_t>(count) * sizeof(T)));
}

template float *BenchArrays::randomBetween<float>(std::int64_t, float, float);
template Bf16 *BenchArrays::randomBetween<Bf16>(std::int64_t, float, float);

std::int32_t *BenchArrays::ids(std::int64_t count, std::int64_t end)
{
    Numbers numbers;
    std::vector<std::int32_t> values(static_cast<std::size_t>(std::max(count, end)));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::int32_t>(i % static_cast<std::size_t>(end));
    for (std::size_t i = values.size(); i > 1; --i)
        std::swap(values[i - 1], values[numbers.next() % i]);
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(std::int32_t);
    return static_cast<std::int32_t *>(repeated(values.data(), bytes, bytes));
}

double KernelBench::secondsOf(const Work &work, int runs)
{
    require(gpu::record(m_begin, stream()), "recording an event");
    for (int run = 0; run < runs; ++run)
        require(work(), "a kernel");
    require(gpu::record(m_end, stream()), "recording an event");
    require(gpu::finish(stream()), "a kernel");
    double seconds = 0;
    require(gpu::elapsed(seconds, m_begin, m_end), "reading an event");
    return seconds;
}

void KernelBench::measure(KernelFigure figure, const Work &work, const Work &prepare)
{
    const auto prepared = [&](int runs) {
        if (prepare)
            require(prepare(), "a kernel");
        return secondsOf(work, runs) / runs;
    };
    const auto isStopped = [this] { return static_cast<bool>(m_interrupt()); };
    if (isStopped())
        return;
    try {
        (void)prepared(1); // loads code, selects the algorithm of a product, raises the clock
        const double once = prepared(1);
        const bool isSmall = m_shapes == BenchShapes::Small;
        const int runs = isSmall || prepare ? 1 : static_cast<int>(std::clamp(kSampleSeconds / once, 1.0, 1.0 * kMostRuns));
        for (double warm = 0; !isSmall && m_figures.empty() && warm < kWarmUpSeconds && !isStopped();)
            warm += secondsOf(work, runs);
        for (int sample = 0; sample < (isSmall ? 3 : kSamples) && !isStopped(); ++sample)
            figure.seconds.push_back(prepared(runs));
    } catch (const std::runtime_error &error) {
        figure.fault = error.what();
    }
    m_figures.push_back(std::move(figure));
}

void KernelBench::attempt(const char *name, FigureGroup group, const std::function<void(BenchArrays &)> &measureAll)
{
    if (m_interrupt())
        return;
    try {
        BenchArrays arrays(stream());
        measureAll(arrays);
    } catch (const std::bad_alloc &) {
        m_figures.push_back({.group = group, .name = name, .fault = "the GPU has not enough free memory"});
    } catch (const std::exception &error) {
        m_figures.push_back({.group = group, .name = name, .fault = error.what()});
    }
}

std::string benchShape(std::initializer_list<std::pair<const char *, std::int64_t>> lengths)
{
    std::string text;
    for (const auto &[letter, length] : lengths)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", letter, length);
    return text;
}

std::vector<KernelFigure> measureKernels(int device, BenchShapes shapes, BenchKernels kernels,
                                         const kernels::Interrupt &interrupt)
{
    useGpu(device);
    KernelBench bench(device, shapes, interrupt);
    BenchArrays workspace(bench.stream());
    gpu::Products products(workspace.space<std::byte>(gpu::kProductWorkspace), gpu::kProductWorkspace);
    benchLargestProduct<Bf16>(bench, products, "bf16");
    benchLargestProduct<float>(bench, products, "float");
    benchCopy(bench);
    benchHostLink(bench, device);
    if (kernels == BenchKernels::Ceilings)
        return bench.takeFigures();
    benchProducts(bench, products);
    benchOutputLayer(bench, products);
    benchMemory(bench);
    benchAttention(bench);
    benchExperts(bench);
    return bench.takeFigures();
}

} // namespace stagelens::backend
