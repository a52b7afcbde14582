// Rows of a shard of an embedding table: rows [first, first + count) of the vocabulary, each `width` wide.
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

struct TableShard {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t width = 0;
};

/// out[tokens, width] = the row of each token, zeros where it is not local.
void gatherRows(float *out, const float *table, const TableShard &shard, const std::int32_t *ids, std::int64_t tokens);
/// table's row of each local token += factor * in's row, in token order.
void scatterAddRows(float *table, const TableShard &shard, const std::int32_t *ids, const float *in, float factor,
                    std::int64_t tokens);
/// out = factor[row] * in's row, less `weight` times the table's row of the token where that is local: an output shard's share
/// of the gradient of its input from the product of exponentials and table. `out` may be `in`; without a table (null) rows are
/// scaled and that is all.
void scaleRows(float *out, const float *in, const float *factor, const float *table, const TableShard &shard,
               const std::int32_t *ids, float weight, std::int64_t tokens);

namespace gpu {

/// As above.
template <class T>
Status gatherRows(Stream stream, T *out, const T *table, const TableShard &shard, const std::int32_t *ids, std::int64_t tokens);

/// rows[batch, sequence, width] += table[sequence, width]: the positions of each sequence.
template <class T>
Status addPositions(Stream stream, T *rows, const T *table, std::int64_t batch, std::int64_t sequence, std::int64_t width);
/// table += the rows of each sequence, one sequence after the other.
template <class T>
Status addPositionGradients(Stream stream, float *table, const T *rows, std::int64_t batch, std::int64_t sequence,
                            std::int64_t width);

/// order[tokens]: the positions of `ids` in rising order of id, equal ids in rising order of position: what scatterAddRows()
/// walks along. The same order serves all shards.
Status sortTokens(Stream stream, std::int32_t *order, const std::int32_t *ids, std::int64_t tokens);
/// As above into a table of floats, with `order` from sortTokens(): a row's tokens are added in token order.
template <class T>
Status scatterAddRows(Stream stream, float *table, const TableShard &shard, const std::int32_t *ids, const std::int32_t *order,
                      const T *in, float factor, std::int64_t tokens);

/// As above.
template <class T>
Status scaleRows(Stream stream, T *out, const T *in, const float *factor, const T *table, const TableShard &shard,
                 const std::int32_t *ids, float weight, std::int64_t tokens);

} // namespace gpu
} // namespace stagelens::kernels
