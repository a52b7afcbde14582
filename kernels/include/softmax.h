// Softmax over the rows of a shard of logits [rows, columns], in the parts that barriers lie between (arXiv 2411.05288, section
// 4). A shard may have no columns. Labels are columns of the whole vocabulary; `first` is the shard's first.
#pragma once

#include "kernels/include/interrupt.h"

#include <cstdint>

namespace stagelens::kernels {

/// Where the shard's rows stand.
struct LogitShard {
    float *logits = nullptr; ///< [rows, columns], dense
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t first = 0;
    /// Column of the row's label inside the shard, or -1.
    [[nodiscard]] std::int64_t local(std::int32_t label) const
    {
        const std::int64_t column = label - first;
        return column >= 0 && column < columns ? column : -1;
    }
};

/// maximum[rows] of each row (-infinity without columns) and the logit of the row's label (0 where it is not local).
void rowMaxima(float *maximum, float *target, const LogitShard &shard, const std::int32_t *labels,
               const Interrupt &interrupt = {});
/// logit = exp(logit - maximum) in place, and sum[rows] of them.
void exponentiate(float *sum, const float *maximum, const LogitShard &shard, const Interrupt &interrupt = {});
/// Both at once with the shard's own maxima: the logits are read once and written once.
void localSoftmax(float *maximum, float *sum, float *target, const LogitShard &shard, const std::int32_t *labels,
                  const Interrupt &interrupt = {});

/// e to the power of each value, about 2 ulp; 0 below -87.3, infinity above 88.7.
void exponentials(float *out, const float *in, std::int64_t count);

} // namespace stagelens::kernels
