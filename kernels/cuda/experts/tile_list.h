// Tiles of the rows of experts, which are listed on the GPU: how many rows an expert has is known there only.
#pragma once

#include "kernels/cuda/gpu.h"
#include "kernels/include/experts.h"

#include <cstdint>

namespace stagelens::kernels::gpu {

/// What the list says, in ints: the first row of each expert and the end of the last, then expert and first row of each tile;
/// the expert is -1 after the last tile.
struct TileList {
    std::int32_t *numbers;
    int experts;
    [[nodiscard]] STAGELENS_DEVICE std::int32_t *firsts() const { return numbers; }
    [[nodiscard]] STAGELENS_DEVICE std::int32_t *tile(std::int64_t i) const { return numbers + experts + 1 + 2 * i; }
};

/// Rows of a tile of a list.
enum class TileRows : unsigned char { Of64, Of128 };

/// Returns how many tiles there are at most.
constexpr std::int64_t mostTiles(const RoutingShape &shape, std::int64_t rowsOfTile)
{
    return shape.rows() / rowsOfTile + shape.experts;
}

/// Writes a list of `tiles` tiles, none if that is 0, into `scratch` (expertScratch()). Returns kUnsupported for too many
/// experts.
Status listTiles(Stream stream, TileList &list, std::int64_t tiles, TileRows of, const std::int32_t *routes,
                 const RoutingShape &shape, void *scratch);

} // namespace stagelens::kernels::gpu
