// Tiles of queries that see the keys of a whole sequence or separate ones, shared by the attention kernels on tensor cores.
#pragma once

#include "kernels/cuda/attention/parts.h"
#include "kernels/cuda/tiles.h"

namespace stagelens::kernels::gpu {

/// A tile of queries.
struct QueryTile {
    int row;      ///< the first one, among the rows of a sequence
    int position; ///< of the first one
    int end;      ///< of the rows of its chunk
    int keys;     ///< that exist
};

/// Writes out how many keys are visible, as the kernels of parts read it.
constexpr AttentionShape withVisibleKeys(AttentionShape shape)
{
    shape.visibleKeys = shape.visible();
    return shape;
}

/// Returns the number of tiles of a call.
template <int Rows>
constexpr std::int64_t queryTiles(const AttentionShape &shape)
{
    return chunkCount(shape) * ((chunkOf(shape, 0).rows + Rows - 1) / Rows);
}
/// Returns the tile of that index. Without `IsPart` the shape is of whole sequences.
template <bool IsPart, int Rows>
STAGELENS_DEVICE QueryTile queriesOf(const AttentionShape &shape, int index)
{
    const int sequence = static_cast<int>(shape.sequence);
    if constexpr (!IsPart)
        return {index * Rows, index * Rows, sequence, sequence};
    const int ofChunk = gridBlocksZ() / chunkCount(shape);
    const Chunk chunk = chunkOf(shape, index / ofChunk);
    const int before = index % ofChunk * Rows;
    return {static_cast<int>(chunk.row) + before, static_cast<int>(chunk.position) + before,
            static_cast<int>(chunk.row + chunk.rows), static_cast<int>(shape.visibleKeys)};
}
/// Returns the end of the keys that a tile sees.
template <bool IsPart, int Rows>
STAGELENS_DEVICE int keysEnd(const QueryTile &tile)
{
    if constexpr (!IsPart)
        return tile.end - tile.row < Rows ? tile.end : tile.row + Rows;
    return tile.position + Rows < tile.keys ? tile.position + Rows : tile.keys;
}

/// Returns the last key that a query sees of those that exist, counted from the first of a tile.
template <bool IsPart>
STAGELENS_DEVICE int lastSeen(int ofCause, int keys)
{
    return IsPart && keys <= ofCause ? keys - 1 : ofCause;
}

/// Adds `factor` times the numbers of a row in memory, from the lane's first column on, to a row of sums.
template <int Size, class T>
STAGELENS_DEVICE void addRow(Sums<Size> &sums, int half, float factor, const T *row)
{
#pragma unroll
    for (int j = 0; j < Size / 8; ++j) {
        float two[2];
        unpackWord(two, *reinterpret_cast<const std::uint32_t *>(row + 8 * j), row);
        sums.at[j][2 * half] += factor * two[0];
        sums.at[j][2 * half + 1] += factor * two[1];
    }
}

/// Multiplies a row of sums; it becomes 0 if the row does not exist.
template <int Size>
STAGELENS_DEVICE void scaleRow(Sums<Size> &sums, int half, float factor, bool exists)
{
#pragma unroll
    for (int j = 0; j < Size / 8; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i)
            sums.at[j][2 * half + i] = exists ? factor * sums.at[j][2 * half + i] : 0.0F;
}

} // namespace stagelens::kernels::gpu
