#include "kernels/cuda/timed_alternatives.h"

#include <cstdint>
#include <iterator>
#include <numeric>

namespace stagelens::kernels::gpu {
namespace {

constexpr int kRuns = 3;
constexpr int kHashBlocks = 256;
constexpr int kHashThreads = 256;

/// parts[block] = the sum over the words of the array, each mixed with its place.
__global__ void hashKernel(unsigned long long *parts, const std::uint32_t *words, std::int64_t count)
{
    __shared__ unsigned long long sums[kHashThreads];
    unsigned long long sum = 0;
    for (std::int64_t i = std::int64_t{blockIdx.x} * kHashThreads + threadIdx.x; i < count; i += kHashBlocks * kHashThreads) {
        // SplitMix64 (Steele et al., 2014).
        unsigned long long x = static_cast<unsigned long long>(i) * 0x9e3779b97f4a7c15ULL + words[i];
        x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
        sum += x ^ (x >> 31U);
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = kHashThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sums[0];
}

template <class T>
T *allocated(std::size_t bytes, cudaStream_t stream)
{
    void *array = nullptr;
    if (cudaMallocAsync(&array, bytes, stream) == cudaSuccess)
        return static_cast<T *>(array);
    (void)cudaGetLastError();
    return nullptr;
}

} // namespace

TimedAlternatives::TimedAlternatives(cudaStream_t stream, std::size_t bytes)
    : m_stream(stream), m_bytes(bytes), m_array(allocated<void>(bytes, stream)),
      m_parts(allocated<unsigned long long>(kHashBlocks * sizeof(unsigned long long), stream))
{
    (void)cudaEventCreate(&m_begin);
    (void)cudaEventCreate(&m_end);
    if (m_array != nullptr)
        (void)cudaMemsetAsync(m_array, 0, bytes, stream);
}

TimedAlternatives::~TimedAlternatives()
{
    for (void *array : {m_array, static_cast<void *>(m_parts)})
        if (array != nullptr)
            (void)cudaFreeAsync(array, m_stream);
    for (cudaEvent_t event : {m_begin, m_end})
        if (event != nullptr)
            (void)cudaEventDestroy(event);
}

std::optional<unsigned long long> TimedAlternatives::hash() const
{
    unsigned long long parts[kHashBlocks];
    hashKernel<<<kHashBlocks, kHashThreads, 0, m_stream>>>(m_parts, static_cast<const std::uint32_t *>(m_array),
                                                           static_cast<std::int64_t>(m_bytes / sizeof(std::uint32_t)));
    if (cudaMemcpyAsync(parts, m_parts, sizeof(parts), cudaMemcpyDeviceToHost, m_stream) != cudaSuccess ||
        cudaStreamSynchronize(m_stream) != cudaSuccess)
        return std::nullopt;
    return std::accumulate(std::begin(parts), std::end(parts), 0ULL);
}

std::optional<float> TimedAlternatives::time(const Work &work)
{
    if (m_array == nullptr || m_parts == nullptr || m_begin == nullptr || m_end == nullptr)
        return std::nullopt;
    if (!work(m_array)) {
        (void)cudaGetLastError();
        return std::nullopt;
    }
    const auto found = hash();
    if (!m_first)
        m_first = found;
    if (!found || found != m_first || cudaEventRecord(m_begin, m_stream) != cudaSuccess)
        return std::nullopt;
    for (int run = 0; run < kRuns; ++run)
        if (!work(m_array))
            return std::nullopt;
    float milliseconds = 0;
    if (cudaEventRecord(m_end, m_stream) != cudaSuccess || cudaEventSynchronize(m_end) != cudaSuccess ||
        cudaEventElapsedTime(&milliseconds, m_begin, m_end) != cudaSuccess)
        return std::nullopt;
    return milliseconds;
}

} // namespace stagelens::kernels::gpu
