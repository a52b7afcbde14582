// Rows of a shard of an embedding table: rows [first, first + count) of the vocabulary, each `width` wide.
#pragma once

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

} // namespace stagelens::kernels
