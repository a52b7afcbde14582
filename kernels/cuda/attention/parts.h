// Which rows of queries a call of attention computes, which keys they see, and where those are: common to all its kernels.
#pragma once

#include "kernels/include/attention.h"

#include <algorithm>

namespace stagelens::kernels::gpu {

/// Rows of queries with consecutive positions.
struct Chunk {
    std::int64_t row = 0;      ///< the first one, among the rows of a sequence
    std::int64_t position = 0; ///< of the first one
    std::int64_t rows = 0;
};

/// Returns the number of chunks that a call computes.
constexpr int chunkCount(const AttentionShape &shape)
{
    return shape.keys > 0 && !shape.isOneChunk && !shape.skipsFirst ? 2 : 1;
}
/// Returns the chunk of that index.
constexpr Chunk chunkOf(const AttentionShape &shape, int index)
{
    if (shape.keys == 0 || shape.isOneChunk)
        return {0, shape.firstChunk, shape.sequence};
    const std::int64_t half = shape.sequence / 2;
    return index == 0 && !shape.skipsFirst ? Chunk{0, shape.firstChunk, half} : Chunk{half, shape.secondChunk, half};
}

/// Returns the keys of a sequence whose gradients a call writes. A slice leaves those of later positions as they are; a part of
/// a ring sets those that it does not see to 0.
constexpr std::int64_t writtenKeys(const AttentionShape &shape)
{
    return shape.isOneChunk ? shape.visible() : shape.positions();
}

/// The keys and values of all sequences: in the fused rows, or separate.
template <class T>
struct KeyRows {
    T *first = nullptr;
    std::int64_t stride = 0;
    KeyRows(T *fused, T *separate, const AttentionShape &shape)
        : first(shape.keys > 0 ? separate : fused + shape.width()),
          stride(shape.keys > 0 ? 2 * shape.kvWidth() : shape.qkvWidth())
    {}
};

} // namespace stagelens::kernels::gpu
