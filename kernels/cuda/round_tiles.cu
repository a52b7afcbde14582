// Tiles of bfloat16 as e4m3 with a factor represents them, in bfloat16: what products in 8 bits read. Bytes per number: 2 read
// and 2 written; tiles of several rows are read a second time, mostly from L2. About 20 instructions: memory-bound.
#include "kernels/cuda/experts/tile_list.h"
#include "kernels/cuda/rows.h"
#include "kernels/cuda/tile_factors.h"
#include "kernels/include/codec.h"
#include "kernels/include/fp8.h"

#include <algorithm>

namespace stagelens::kernels::gpu {
namespace {

constexpr int kTile = static_cast<int>(kCodecTile);
constexpr int kThreads = 2 * kTile;
constexpr int kWarps = kThreads / kWarpLanes;
constexpr std::int64_t kMostBlocks = 65535; ///< in y or z

/// A matrix, rows `stride` numbers apart, and where its rounded numbers go, densely.
struct Matrix {
    Bf16 *to;
    const Bf16 *from;
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t stride;
};

/// What the numbers of a tile are divided by before they are rounded.
struct Factor {
    float value;
    float inverse;
    STAGELENS_DEVICE explicit Factor(std::int32_t greatest)
        : value(powerAbove(factorOfGreatest<E4m3>(greatest))), inverse(1 / value)
    {}
    STAGELENS_DEVICE void round(Bf16 *to, float number) const
    {
        roundTo(to, value * fromFp8(toFp8<E4m3>(productOf(number, inverse))));
    }
};

STAGELENS_DEVICE std::int32_t greaterOf(std::int32_t a, std::int32_t b)
{
    return a > b ? a : b;
}
STAGELENS_DEVICE std::int32_t warpGreatest(std::int32_t value)
{
#pragma unroll
    for (int mask = kWarpLanes / 2; mask > 0; mask /= 2)
        value = greaterOf(value, shuffleXor(value, mask));
    return value;
}

/// Tiles of one row. A warp has one, a lane every 32nd number.
STAGELENS_KERNEL(kThreads, 4)
rowsKernel(Matrix matrix)
{
    constexpr int kOfLane = kTile / kWarpLanes;
    const std::int64_t tiles = tilesOfRow(matrix.columns);
    const std::int64_t number = std::int64_t{blockIndex()} * kWarps + threadIndex() / kWarpLanes;
    if (number >= matrix.rows * tiles)
        return;
    const std::int64_t row = number / tiles;
    const std::int64_t column = number % tiles * kTile + threadIndex() % kWarpLanes;
    const Bf16 *from = matrix.from + row * matrix.stride;
    Bf16 *to = matrix.to + row * matrix.columns;
    float own[kOfLane] = {};
    std::int32_t greatest = 0;
#pragma unroll
    for (int i = 0; i < kOfLane; ++i)
        if (const std::int64_t at = column + i * kWarpLanes; at < matrix.columns) {
            own[i] = numberOf(from[at]);
            greatest = greaterOf(greatest, finiteMagnitude(own[i]));
        }
    const Factor factor(warpGreatest(greatest));
#pragma unroll
    for (int i = 0; i < kOfLane; ++i)
        if (const std::int64_t at = column + i * kWarpLanes; at < matrix.columns)
            factor.round(to + at, own[i]);
}

/// Rounds `rows` rows, at most kTile, from `first` on: a tile for each column of the block, or one for all of them. A thread
/// has half of the rows of a column.
template <bool IsSquare>
STAGELENS_DEVICE void roundBlock(const Matrix &matrix, std::int64_t first, int rows)
{
    auto *shared = reinterpret_cast<std::int32_t *>(sharedBytes());
    const std::int64_t column = std::int64_t{blockIndex()} * kTile + threadIndex() % kTile;
    const int begin = threadIndex() / kTile * (kTile / 2);
    const int end = rows < begin + kTile / 2 ? rows : begin + kTile / 2;
    const bool isInside = column < matrix.columns;
    const Bf16 *from = matrix.from + first * matrix.stride + column;
    std::int32_t greatest = 0;
    for (int row = begin; row < end && isInside; ++row)
        greatest = greaterOf(greatest, finiteMagnitude(numberOf(from[row * matrix.stride])));
    if constexpr (IsSquare) {
        greatest =
            blockCombined(warpGreatest(greatest), shared, [](std::int32_t a, std::int32_t b) { return greaterOf(a, b); });
    } else {
        shared[threadIndex()] = greatest;
        syncBlock();
        greatest = greaterOf(greatest, shared[threadIndex() ^ kTile]);
    }
    const Factor factor(greatest);
    Bf16 *to = matrix.to + first * matrix.columns + column;
    for (int row = begin; row < end && isInside; ++row)
        factor.round(to + row * matrix.columns, numberOf(from[row * matrix.stride]));
}

/// Block (tile of columns, tile of rows, matrix). The matrices follow one another.
template <bool IsSquare>
STAGELENS_KERNEL(kThreads, 4)
blocksKernel(Matrix matrix)
{
    const std::int64_t first = std::int64_t{blockIndexY()} * kTile;
    matrix.from += blockIndexZ() * matrix.rows * matrix.stride;
    matrix.to += blockIndexZ() * matrix.rows * matrix.columns;
    roundBlock<IsSquare>(matrix, first, static_cast<int>(matrix.rows - first < kTile ? matrix.rows - first : kTile));
}

/// Block (tile of columns, tile of rows of the list).
STAGELENS_KERNEL(kThreads, 4)
expertsKernel(Matrix matrix, TileList list)
{
    const std::int32_t *tile = list.tile(blockIndexY());
    if (tile[0] < 0)
        return;
    const int rows = list.firsts()[tile[0] + 1] - tile[1];
    roundBlock<false>(matrix, tile[1], rows < kTile ? rows : kTile);
}

} // namespace

Status roundTiles(Stream stream, Bf16 *to, const Bf16 *from, const TiledMatrix &of)
{
    const Matrix matrix{to, from, of.rows, of.columns, of.stride};
    const std::int64_t tilesDown = tilesOfRow(of.rows);
    if (of.tile.rows == 1 && of.tile.columns == kTile && of.matrices == 1)
        return launch<rowsKernel>({(of.rows * tilesOfRow(of.columns) + kWarps - 1) / kWarps, kThreads, 0, stream}, matrix);
    const bool isSquare = of.tile.columns == kTile;
    if (of.tile.rows != kTile || (!isSquare && of.tile.columns != 1) || tilesDown > kMostBlocks || of.matrices > kMostBlocks)
        return kUnsupported;
    const Launch how{tilesOfRow(of.columns), kThreads, kThreads * sizeof(std::int32_t), stream, tilesDown, of.matrices};
    return isSquare ? launch<blocksKernel<true>>(how, matrix) : launch<blocksKernel<false>>(how, matrix);
}

Status roundExpertRows(Stream stream, Bf16 *to, const Bf16 *from, const std::int32_t *routes, const RoutingShape &shape,
                       std::int64_t width, void *scratch)
{
    const std::int64_t tiles = mostTiles(shape, kTile);
    if (tiles > kMostBlocks)
        return kUnsupported;
    TileList list{};
    if (const Status status = listTiles(stream, list, tiles, TileRows::Of128, routes, shape, scratch); status.failed())
        return status;
    return launch<expertsKernel>({tilesOfRow(width), kThreads, kThreads * sizeof(std::int32_t), stream, tiles},
                                 Matrix{to, from, shape.rows(), width, width}, list);
}

} // namespace stagelens::kernels::gpu
