// Causal attention for any type and any head of at most 256 elements, without tensor cores: for float, for small models, and
// for addresses that the fast kernels cannot take.
#pragma once

#include "kernels/include/attention.h"

namespace stagelens::kernels::gpu {

inline constexpr std::int64_t kMostHeadSize = 256;

/// Whether the shape is one at all.
constexpr bool isShape(const AttentionShape &shape)
{
    return shape.size >= 1 && shape.size <= kMostHeadSize && shape.kvHeads >= 1 && shape.heads % shape.kvHeads == 0;
}

template <class T>
Status plainAttentionForward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape);
template <class T>
Status plainAttentionBackward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out,
                              const float *logSumExp, const AttentionShape &shape, float *scratch);

} // namespace stagelens::kernels::gpu
