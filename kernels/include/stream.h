// Where the kernels of namespace gpu run and how they tell that they could not start.
//
// They take device memory and return once they are queued on the stream. T is float or Bf16. Rows whose address and width are
// multiples of 16 bytes are read 16 bytes at a time; all others are right as well, but slower.
#pragma once

#include <string>

namespace stagelens::kernels::gpu {

/// A cudaStream_t, without its header; null is the default stream.
struct Stream {
    void *handle = nullptr;
};

/// A cudaError_t as a number, or kProductFault and a cublasStatus_t; 0 is success. Where the kernels run on the host's fibres,
/// 1 is a fault that tests/cuda_emulator/fibres.h describes.
struct [[nodiscard]] Status {
    int code = 0;
    [[nodiscard]] constexpr bool failed() const { return code != 0; }
};

inline constexpr int kProductFault = 100'000;
/// cuDNN has failed in attention.
inline constexpr Status kAttentionFault{200'000};

/// What the status means, in the words of the library that it comes from.
[[nodiscard]] std::string explain(Status status);

/// What a function answers that cannot run the shape it was given: cudaErrorInvalidValue.
inline constexpr Status kUnsupported{1};

} // namespace stagelens::kernels::gpu
