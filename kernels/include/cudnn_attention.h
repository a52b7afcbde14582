// Attention with cuDNN, if built in (STAGELENS_CUDNN).
#pragma once

#include "kernels/include/attention.h"

#include <memory>
#include <string>

namespace stagelens::kernels::gpu {

/// Used with one device, one stream and one thread at a time. The contract is that of attentionForward() and
/// attentionBackward(). Returns kUnsupported for unsupported shapes.
class CudnnAttention {
public:
    CudnnAttention();
    ~CudnnAttention();
    CudnnAttention(const CudnnAttention &) = delete;
    CudnnAttention &operator=(const CudnnAttention &) = delete;

    /// Returns why cuDNN is not available, or an empty string.
    [[nodiscard]] static const std::string &problem();
    /// Returns the bytes of GPU memory that the two directions take in addition to their arrays; 0 if cuDNN is not available.
    [[nodiscard]] static std::int64_t workspace(const AttentionShape &shape);

    Status forward(Stream stream, Bf16 *out, float *logSumExp, const Bf16 *qkv, const AttentionShape &shape);
    Status backward(Stream stream, Bf16 *qkvGradient, const Bf16 *outGradient, const Bf16 *qkv, const Bf16 *out,
                    const float *logSumExp, const AttentionShape &shape);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace stagelens::kernels::gpu
