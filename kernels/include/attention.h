// Causal multi-head or grouped-query self-attention on fused queries, keys and values.
#pragma once

#include "kernels/include/bf16.h"
#include "kernels/include/interrupt.h"
#include "kernels/include/stream.h"

#include <cstdint>
#include <memory>
#include <string>

namespace stagelens::kernels {

/// qkv is [batch * sequence, (heads + 2 * kvHeads) * size]: the queries of all heads of a token, then its keys, then its
/// values, as from GPT-2's c_attn. Each kvHead serves heads / kvHeads consecutive query heads (grouped-query attention, arXiv
/// 2305.13245). Outputs are [batch * sequence, heads * size]; logSumExp is [batch, heads, sequence].
struct AttentionShape {
    std::int64_t batch = 0;
    std::int64_t sequence = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0; ///< divides heads
    std::int64_t size = 0;    ///< of a head
    /// Context parallelism: `sequence` is the number of rows of one rank, which are two chunks of a longer sequence. The first
    /// half has the positions from `firstChunk` on, the second half those from `secondChunk` on. The keys and values of all
    /// `keys` positions are passed separately from qkv. 0: the rows are the whole sequence.
    std::int64_t keys = 0;
    std::int64_t firstChunk = 0;
    std::int64_t secondChunk = 0;
    /// In a ring, keys arrive part by part. The rows read the first `visibleKeys` of the separate keys (0: all); rows of the
    /// first half read none if `skipsFirst`.
    std::int64_t visibleKeys = 0;
    bool skipsFirst = false;
    bool extends = false; ///< the outputs and the gradient of the queries contain earlier parts, and this one is added
    /// Slices of a sequence: the rows are one chunk, with the positions from `firstChunk` on. They read the keys of earlier
    /// slices and their own (`visibleKeys`).
    bool isOneChunk = false;
    bool addsKeyGradients = false; ///< the gradients of keys and values contain those of later slices; this call adds to them
    [[nodiscard]] constexpr std::int64_t positions() const { return keys > 0 ? keys : sequence; }
    [[nodiscard]] constexpr std::int64_t visible() const { return visibleKeys > 0 ? visibleKeys : positions(); }
    [[nodiscard]] constexpr std::int64_t width() const { return heads * size; }
    [[nodiscard]] constexpr std::int64_t kvWidth() const { return kvHeads * size; }
    [[nodiscard]] constexpr std::int64_t qkvWidth() const { return width() + 2 * kvWidth(); }
};

/// Keys and values of all positions, [batch, positions, 2 * kvHeads * size]: the keys of all heads of a token, then its values.
/// Null unless AttentionShape::keys is given.
template <class T>
struct KeysOf {
    const T *rows = nullptr;
    T *gradient = nullptr; ///< of the backward: receives the part that the queries of these rows contribute
};
using GatheredKeys = KeysOf<float>;

/// Returns the floats of scratch for either direction: tiles of scores of a few queries with all keys.
[[nodiscard]] std::int64_t attentionScratch(const AttentionShape &shape);

/// out = softmax(q k^T / sqrt(size), causal) v; saves the logarithm of the sum of exponentials of each row. Unless null,
/// `probabilities` [batch, heads, sequence, positions] receives the softmax, with the bits that the backward would recompute;
/// masked elements are 0. A call that extends the outputs continues their online softmax and does not support
/// probabilities.
void attentionForward(float *out, float *logSumExp, const float *qkv, const AttentionShape &shape, float *scratch,
                      const Interrupt &interrupt = {}, float *probabilities = nullptr, const GatheredKeys &keys = {});

/// Computes qkvGradient (overwritten; with gathered keys only the columns of the queries) from the gradient of `out`. Gradients
/// of a shared key or value are summed over its query heads in order. Recomputes probabilities from logSumExp
/// (FlashAttention-2, arXiv 2307.08691) unless they are given.
void attentionBackward(float *qkvGradient, const float *outGradient, const float *qkv, const float *out, const float *logSumExp,
                       const AttentionShape &shape, float *scratch, const Interrupt &interrupt = {},
                       const float *probabilities = nullptr, const GatheredKeys &keys = {});

namespace gpu {

/// As above. Fast for Bf16 and Fp16 with heads of 64 or 128 and addresses that are multiples of 16; slow for other cases up to
/// heads of 256; kUnsupported for larger heads.
template <class T>
Status attentionForward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape,
                        const KeysOf<T> &keys = {});

/// Returns the floats of scratch of the backward: one for each token and head.
[[nodiscard]] std::int64_t attentionBackwardScratch(const AttentionShape &shape);

/// As above. The order of all sums is fixed.
template <class T>
Status attentionBackward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out,
                         const float *logSumExp, const AttentionShape &shape, float *scratch, const KeysOf<T> &keys = {});

class CudnnAttention;

/// The attention of one device, on one stream and one thread at a time. Uses cuDNN if it is built in and supports type and
/// shape (16 bits, heads of a multiple of 8, no separate keys), otherwise the functions above. Equal calls give equal bits in
/// both cases.
class Attentions {
public:
    Attentions();
    ~Attentions();
    Attentions(const Attentions &) = delete;
    Attentions &operator=(const Attentions &) = delete;

    /// Returns why cuDNN is not used, or an empty string.
    [[nodiscard]] static const std::string &cudnnProblem();

    /// As above.
    template <class T>
    Status forward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape,
                   const KeysOf<T> &keys = {});
    template <class T>
    Status backward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out, const float *logSumExp,
                    const AttentionShape &shape, float *scratch, const KeysOf<T> &keys = {});

private:
    [[nodiscard]] CudnnAttention *cudnn();
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace gpu
} // namespace stagelens::kernels
