// Times several ways to compute the same array.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <optional>

namespace stagelens::kernels::gpu {

/// The array to which the alternatives write; its memory is freed in the order of the stream, without waiting for other work of
/// the GPU.
class TimedAlternatives {
public:
    /// Without memory for the array no alternative is run.
    TimedAlternatives(cudaStream_t stream, std::size_t bytes);
    ~TimedAlternatives();
    TimedAlternatives(const TimedAlternatives &) = delete;
    TimedAlternatives &operator=(const TimedAlternatives &) = delete;

    /// Enqueues an alternative, which writes the array; returns false if it fails.
    using Work = std::function<bool(void *array)>;
    /// Returns the milliseconds of a few runs; nothing if the alternative fails or gives other bits than the first that ran.
    [[nodiscard]] std::optional<float> time(const Work &work);

private:
    [[nodiscard]] std::optional<unsigned long long> hash() const;

    cudaStream_t m_stream;
    std::size_t m_bytes;
    void *m_array = nullptr;
    unsigned long long *m_parts = nullptr; ///< of the hash
    cudaEvent_t m_begin = nullptr;
    cudaEvent_t m_end = nullptr;
    std::optional<unsigned long long> m_first; ///< hash of the first
};

} // namespace stagelens::kernels::gpu
