// Attention with cuDNN, if built in (STAGELENS_CUDNN).
#pragma once

#include "kernels/include/attention.h"

#include <cstdint>
#include <memory>
#include <string>

namespace stagelens::kernels::gpu {

/// Used with one device, one stream and one thread at a time. The contract is that of attentionForward() and
/// attentionBackward(), for Bf16 and Fp16. Returns kUnsupported for unsupported shapes.
class CudnnAttention {
public:
    /// Bytes that the scores of the backward may take. It runs for as many sequences or heads at a time as stay within them,
    /// but for at least those of one head of keys: the deterministic backward on Hopper takes 2 bytes for each score (cuDNN
    /// 9.19), 4.3 GB for 32 heads of 8192 tokens.
    static constexpr std::int64_t kScoreBytes = std::int64_t{512} << 20U;
    explicit CudnnAttention(std::int64_t scoreBytes = kScoreBytes);
    ~CudnnAttention();
    CudnnAttention(const CudnnAttention &) = delete;
    CudnnAttention &operator=(const CudnnAttention &) = delete;

    /// Returns why cuDNN is not available, or an empty string.
    [[nodiscard]] static const std::string &problem();
    /// Returns the bytes of GPU memory that the two directions take in addition to their arrays within kScoreBytes; 0 if cuDNN
    /// is not available.
    [[nodiscard]] static std::int64_t workspace(const AttentionShape &shape);

    template <class T>
    Status forward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape);
    template <class T>
    Status backward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out, const float *logSumExp,
                    const AttentionShape &shape);

private:
    struct State;
    std::int64_t m_scoreBytes = kScoreBytes;
    std::unique_ptr<State> m_state;
};

} // namespace stagelens::kernels::gpu
