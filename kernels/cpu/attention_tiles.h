// Attention in tiles of queries and keys: code shared by the forward and the backward on the CPU.
#pragma once

#include "kernels/cpu/lanes.h"
#include "kernels/cpu/tile_product.h"
#include "kernels/include/attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace stagelens::kernels {

/// A tile: scores of 64 queries with 128 keys, 32 KiB. Both are multiples of the step.
inline constexpr std::int64_t kQueries = 64;
inline constexpr std::int64_t kKeys = 128;
/// Rows per step on the diagonal, so that few masked scores are computed.
inline constexpr std::int64_t kStep = kPanel;

/// scores[count] = exp(scale * score - top); returns their sum. `count` must be a multiple of kLanes.
STAGELENS_INLINE float exponentiateRow(float *scores, float scale, float top, std::int64_t count)
{
    LaneSum sum;
    for (std::int64_t i = 0; i < count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            scores[i + lane] = expBelow(scores[i + lane] * scale - top);
            sum.lanes[lane] += scores[i + lane];
        }
    }
    return sum.total();
}

/// A block of scores: queries [first, first + rows) and keys [key, key + keys) in positions of the sequence.
struct Scores {
    float *values; ///< [rows, kKeys]
    std::int64_t first;
    std::int64_t rows;
    std::int64_t key;
    std::int64_t keys; ///< a multiple of kPanel except at the end of the sequence
    float scale;
    /// Returns the number of keys of the block that are visible to row `row`.
    [[nodiscard]] STAGELENS_INLINE std::int64_t visible(std::int64_t row) const
    {
        return std::clamp<std::int64_t>(first + row + 1 - key, 0, keys);
    }
    /// Returns the columns of a row, rounded up to lanes; the block has room for them.
    [[nodiscard]] STAGELENS_INLINE std::int64_t columns() const { return (keys + kLanes - 1) / kLanes * kLanes; }
    /// Returns the scores of a row; sets masked and padded ones to -infinity.
    [[nodiscard]] STAGELENS_INLINE float *masked(std::int64_t row) const
    {
        float *line = values + row * kKeys;
        for (std::int64_t column = visible(row); column < columns(); ++column)
            line[column] = -std::numeric_limits<float>::infinity();
        return line;
    }
};

STAGELENS_INLINE void probabilities(const Scores &block, const float *logSumExp)
{
    for (std::int64_t row = 0; row < block.rows; ++row)
        exponentiateRow(block.masked(row), block.scale, logSumExp[row], block.columns());
}

/// Calls `part(first, rows, end)` for the rows of a block in steps. Each step sees the columns [0, end), a multiple of kPanel.
template <class Part>
void forVisible(const Scores &block, const Part &part)
{
    const bool isWhole = block.visible(0) == block.keys;
    const std::int64_t step = isWhole ? block.rows : kStep;
    for (std::int64_t row = 0; row < block.rows; row += step) {
        const std::int64_t rows = std::min(step, block.rows - row);
        part(row, rows, paddedToPanels(block.visible(row + rows - 1)));
    }
}

/// Sizes, padded to panels, and the parts of the scratch.
struct Space {
    std::int64_t keys;  ///< of the sequence
    std::int64_t width; ///< of a head
    float *next;

    Space(const AttentionShape &shape, float *scratch)
        : keys(paddedToPanels(shape.positions())), width(paddedToPanels(shape.size)), next(scratch)
    {}
    float *cut(std::int64_t floats)
    {
        float *part = next;
        next += floats;
        return part;
    }
    float *ofKeys() { return cut(keys * width); }
    float *ofQueries() { return cut(kQueries * width); }
    float *ofScores() { return cut(kQueries * kKeys); }
};

/// Queries at the positions [first, first + rows), and the number of keys that exist.
struct Queries {
    std::int64_t first;
    std::int64_t rows;
    std::int64_t keys;
};

/// Calls `part` for the blocks of keys that the queries see, in order. Returns false if interrupted.
template <class Part>
bool forBlocks(float *values, const Queries &queries, float scale, const Interrupt &interrupt, const Part &part)
{
    const std::int64_t end = std::min(queries.first + queries.rows, queries.keys);
    for (std::int64_t key = 0; key < end; key += kKeys) {
        if (interrupt())
            return false;
        part(Scores{values, queries.first, queries.rows, key, std::min(kKeys, end - key), scale});
    }
    return true;
}

/// scores = A B^T of the visible part. A [rows, size] are the rows of the block; the panels of B^T contain all keys.
inline void scoresOf(float *scores, const Scores &block, const float *a, std::int64_t stride, const float *panels,
                     std::int64_t size)
{
    forVisible(block, [&](std::int64_t row, std::int64_t rows, std::int64_t end) {
        multiplyTile({.rows = rows,
                      .panels = end / kPanel,
                      .inner = size,
                      .a = a + row * stride,
                      .rowStep = stride,
                      .innerStep = 1,
                      .b = panels + block.key * size,
                      .panelStep = size * kPanel,
                      .c = scores + row * kKeys,
                      .stride = kKeys});
    });
}

/// to[rows, width] += weights[rows, keys] B of the visible part. The panels of B contain all keys.
inline void addMixed(float *to, const Scores &block, const float *weights, const float *panels, const Space &space)
{
    forVisible(block, [&](std::int64_t row, std::int64_t rows, std::int64_t end) {
        multiplyTile({.rows = rows,
                      .panels = space.width / kPanel,
                      .inner = std::min(end, block.keys),
                      .a = weights + row * kKeys,
                      .rowStep = kKeys,
                      .innerStep = 1,
                      .b = panels + block.key * kPanel,
                      .panelStep = space.keys * kPanel,
                      .c = to + row * space.width,
                      .stride = space.width,
                      .adds = true});
    });
}

/// The tensors of one sequence, from its first token on.
struct Sequence {
    const AttentionShape &shape;
    const float *qkv;
    std::int64_t stride;
    const float *keys; ///< the first row of keys, with the values beside them
    std::int64_t keyStride;
    float scale;
    Sequence(const AttentionShape &all, const float *tokens, const GatheredKeys &gathered, std::int64_t index)
        : shape(all), qkv(tokens + index * all.sequence * all.qkvWidth()), stride(all.qkvWidth()),
          keys(gathered.rows != nullptr ? gathered.rows + index * all.positions() * 2 * all.kvWidth() : qkv + all.width()),
          keyStride(gathered.rows != nullptr ? 2 * all.kvWidth() : stride),
          scale(1.0F / std::sqrt(static_cast<float>(all.size)))
    {}
    [[nodiscard]] std::int64_t group() const { return shape.heads / shape.kvHeads; }
    [[nodiscard]] std::int64_t queryColumn(std::int64_t head) const { return head * shape.size; }
    [[nodiscard]] std::int64_t keyColumn(std::int64_t kvHead) const { return kvHead * shape.size; }
    [[nodiscard]] std::int64_t valueColumn(std::int64_t kvHead) const { return shape.kvWidth() + kvHead * shape.size; }
    /// Calls `tile(first row, its position, rows)` for the tiles of queries, in order, until one returns false.
    template <class Tile>
    [[nodiscard]] bool forTiles(const Tile &tile) const
    {
        const std::int64_t chunk = shape.keys > 0 && !shape.isOneChunk ? shape.sequence / 2 : shape.sequence;
        for (std::int64_t begin = 0; begin < shape.sequence; begin += chunk) {
            if (begin == 0 && shape.skipsFirst)
                continue;
            const std::int64_t position = begin == 0 ? shape.firstChunk : shape.secondChunk;
            for (std::int64_t row = 0; row < chunk; row += kQueries)
                if (!tile(begin + row, position + row, std::min(kQueries, chunk - row)))
                    return false;
        }
        return true;
    }
};

/// Copies the visible part of a block between two matrices of scores.
inline void copyVisible(float *to, std::int64_t toStride, const float *from, std::int64_t fromStride, const Scores &block)
{
    for (std::int64_t row = 0; row < block.rows; ++row)
        std::copy_n(from + row * fromStride, block.visible(row), to + row * toStride);
}

} // namespace stagelens::kernels
