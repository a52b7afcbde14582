// Causal attention for any type and heads of at most 256 elements, without tensor cores: for float, for small models, and for
// alignments that the fast kernels do not support.
#pragma once

#include "kernels/include/attention.h"

namespace stagelens::kernels::gpu {

inline constexpr std::int64_t kMostHeadSize = 256;

/// Returns whether the shape is valid.
constexpr bool isShape(const AttentionShape &shape)
{
    const bool isCut = shape.keys == 0 || shape.isOneChunk || shape.sequence % 2 == 0; // two chunks of equal length
    return isCut && shape.size >= 1 && shape.size <= kMostHeadSize && shape.kvHeads >= 1 && shape.heads % shape.kvHeads == 0;
}

template <class T>
Status plainAttentionForward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape,
                             const KeysOf<T> &keys);
template <class T>
Status plainAttentionBackward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out,
                              const float *logSumExp, const AttentionShape &shape, float *scratch, const KeysOf<T> &keys);

} // namespace stagelens::kernels::gpu
