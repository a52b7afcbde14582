// Streams and status codes of the kernels in namespace gpu.
//
// Kernels take device memory and return when they are enqueued on the stream. T is float, Bf16 or Fp16. Rows whose address and
// width are multiples of 16 bytes are read 16 bytes at a time; others are slower.
#pragma once

#include <string>

namespace stagelens::kernels::gpu {

/// A cudaStream_t, without its header; null is the default stream.
struct Stream {
    void *handle = nullptr;
};

/// A cudaError_t as a number, or kProductFault plus a cublasStatus_t; 0 is success. In the CUDA emulator 1 is a fault described
/// in tests/cuda_emulator/fibres.h.
struct [[nodiscard]] Status {
    int code = 0;
    [[nodiscard]] constexpr bool failed() const { return code != 0; }
};

inline constexpr int kProductFault = 100'000;
/// cuDNN failed in attention.
inline constexpr Status kAttentionFault{200'000};

/// Returns the description of the status by its library.
[[nodiscard]] std::string explain(Status status);

/// Returned by functions that do not support the given shape: cudaErrorInvalidValue.
inline constexpr Status kUnsupported{1};

} // namespace stagelens::kernels::gpu
