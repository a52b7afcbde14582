// Causal multi-head or grouped-query self-attention on fused queries, keys and values.
#pragma once

#include "kernels/include/bf16.h"
#include "kernels/include/interrupt.h"
#include "kernels/include/stream.h"

#include <cstdint>
#include <memory>
#include <string>

namespace stagelens::kernels {

/// qkv is [batch * sequence, (heads + 2 * kvHeads) * size]: a token's queries of all heads, then its keys, then its values, as
/// GPT-2's c_attn makes them. Each kvHead serves heads / kvHeads query heads that follow each other (grouped-query attention,
/// arXiv 2305.13245). Outputs are [batch * sequence, heads * size]; logSumExp is [batch, heads, sequence].
struct AttentionShape {
    std::int64_t batch = 0;
    std::int64_t sequence = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0; ///< divides heads
    std::int64_t size = 0;    ///< of a head
    [[nodiscard]] constexpr std::int64_t width() const { return heads * size; }
    [[nodiscard]] constexpr std::int64_t kvWidth() const { return kvHeads * size; }
    [[nodiscard]] constexpr std::int64_t qkvWidth() const { return width() + 2 * kvWidth(); }
};

/// Floats of scratch that either direction needs: tiles of scores of a few queries with all keys.
[[nodiscard]] std::int64_t attentionScratch(const AttentionShape &shape);

/// out = softmax(q k^T / sqrt(size), causal) v; keeps the logarithm of each row's sum of exponentials.
void attentionForward(float *out, float *logSumExp, const float *qkv, const AttentionShape &shape, float *scratch,
                      const Interrupt &interrupt = {});

/// qkvGradient (overwritten) from the gradient of `out`; those of a shared key or value are summed over its query heads in
/// their order. Probabilities are computed again from logSumExp (the method of
/// FlashAttention-2, arXiv 2307.08691).
void attentionBackward(float *qkvGradient, const float *outGradient, const float *qkv, const float *out, const float *logSumExp,
                       const AttentionShape &shape, float *scratch, const Interrupt &interrupt = {});

namespace gpu {

/// As above. Bf16 with heads of 64 or 128 at addresses that are multiples of 16 is fast; all else, heads of at most 256, is
/// right and slow; larger heads are kUnsupported.
template <class T>
Status attentionForward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape);

/// Floats of scratch of the backward: one for each token and head.
[[nodiscard]] std::int64_t attentionBackwardScratch(const AttentionShape &shape);

/// As above. Nothing is summed in an order that depends on timing.
template <class T>
Status attentionBackward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out,
                         const float *logSumExp, const AttentionShape &shape, float *scratch);

class CudnnAttention;

/// Attention of one device and, at a time, one stream and one thread: by cuDNN where it is built in and can do the type and
/// shape (bfloat16, heads of 64 or 128), else by the two above. Either way equal calls give equal bits.
class Attentions {
public:
    Attentions();
    ~Attentions();
    Attentions(const Attentions &) = delete;
    Attentions &operator=(const Attentions &) = delete;

    /// Why cuDNN is not used; empty where it is.
    [[nodiscard]] static const std::string &cudnnProblem();

    /// As above.
    template <class T>
    Status forward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape);
    template <class T>
    Status backward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out, const float *logSumExp,
                    const AttentionShape &shape, float *scratch);

private:
    [[nodiscard]] CudnnAttention *cudnn();
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace gpu
} // namespace stagelens::kernels
