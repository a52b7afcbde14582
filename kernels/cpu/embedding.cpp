#include "kernels/include/embedding.h"

#include "kernels/include/elementwise.h"

#include <algorithm>

namespace stagelens::kernels {

void gatherRows(float *out, const float *table, const TableShard &shard, const std::int32_t *ids, std::int64_t tokens)
{
    for (std::int64_t token = 0; token < tokens; ++token) {
        const std::int64_t row = ids[token] - shard.first;
        float *to = out + token * shard.width;
        if (row >= 0 && row < shard.count)
            std::copy_n(table + row * shard.width, shard.width, to);
        else
            std::fill_n(to, shard.width, 0.0F);
    }
}

void scatterAddRows(float *table, const TableShard &shard, const std::int32_t *ids, const float *in, float factor,
                    std::int64_t tokens)
{
    for (std::int64_t token = 0; token < tokens; ++token) {
        const std::int64_t row = ids[token] - shard.first;
        if (row >= 0 && row < shard.count)
            addScaled(table + row * shard.width, in + token * shard.width, factor, shard.width);
    }
}

void scaleRows(float *out, const float *in, const float *factor, const float *table, const TableShard &shard,
               const std::int32_t *ids, float weight, std::int64_t tokens)
{
    for (std::int64_t token = 0; token < tokens; ++token) {
        float *to = out + token * shard.width;
        scale(to, in + token * shard.width, factor[token], shard.width);
        const std::int64_t row = table == nullptr ? -1 : ids[token] - shard.first;
        if (row >= 0 && row < shard.count)
            addScaled(to, table + row * shard.width, -weight, shard.width);
    }
}

} // namespace stagelens::kernels
