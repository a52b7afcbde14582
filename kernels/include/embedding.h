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

/// out[tokens, width] = the table row of each token; zeros if it is not local.
void gatherRows(float *out, const float *table, const TableShard &shard, const std::int32_t *ids, std::int64_t tokens);
/// Adds factor * in[token] to the table row of each local token, in token order.
void scatterAddRows(float *table, const TableShard &shard, const std::int32_t *ids, const float *in, float factor,
                    std::int64_t tokens);
/// out = factor[row] * in[row] - weight * (the table row of the token, if local): an output shard's part of the gradient of its
/// input, from the product of exponentials and table. `out` may be `in`. Without a table (null) only scales rows.
void scaleRows(float *out, const float *in, const float *factor, const float *table, const TableShard &shard,
               const std::int32_t *ids, float weight, std::int64_t tokens);

namespace gpu {

/// As above.
template <class T>
Status gatherRows(Stream stream, T *out, const T *table, const TableShard &shard, const std::int32_t *ids, std::int64_t tokens);

/// rows[batch, sequence, width] += table[sequence, width]: adds position embeddings.
template <class T>
Status addPositions(Stream stream, T *rows, const T *table, std::int64_t batch, std::int64_t sequence, std::int64_t width);
/// table += the rows of each sequence, in sequence order.
template <class T>
Status addPositionGradients(Stream stream, float *table, const T *rows, std::int64_t batch, std::int64_t sequence,
                            std::int64_t width);

/// Sorts positions by id, then by position, for scatterAddRows(). All shards can use the same order.
Status sortTokens(Stream stream, std::int32_t *order, const std::int32_t *ids, std::int64_t tokens);
/// As above, into a table of floats, with `order` from sortTokens(). Tokens of a row are added in token order.
template <class T>
Status scatterAddRows(Stream stream, float *table, const TableShard &shard, const std::int32_t *ids, const std::int32_t *order,
                      const T *in, float factor, std::int64_t tokens);

/// As above.
template <class T>
Status scaleRows(Stream stream, T *out, const T *in, const float *factor, const T *table, const TableShard &shard,
                 const std::int32_t *ids, float weight, std::int64_t tokens);

} // namespace gpu
} // namespace stagelens::kernels
