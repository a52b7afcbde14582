#include "kernels/include/softmax.h"

#include "kernels/cpu/lanes.h"

#include <algorithm>

namespace stagelens::kernels {
namespace {

/// Elements between two checks of the interrupt: a few milliseconds.
constexpr std::int64_t kElementsPerQuestion = 4'000'000;
/// Logits that stay in the second-level cache from their maximum to their exponentials.
constexpr std::int64_t kElementsInCache = 64 * 1024;

STAGELENS_INLINE void maxima(float *maximum, const float *logits, std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t row = 0; row < rows; ++row)
        maximum[row] = maximumOf(logits + row * columns, columns);
}

STAGELENS_INLINE void exponentiateRows(float *sum, const float *maximum, float *logits, std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t row = 0; row < rows; ++row) {
        float *values = logits + row * columns;
        const float top = maximum[row];
        LaneSum lanes;
        const std::int64_t whole = columns - columns % kLanes;
        for (std::int64_t i = 0; i < whole; i += kLanes) {
            for (std::int64_t lane = 0; lane < kLanes; ++lane) {
                values[i + lane] = expBelow(values[i + lane] - top);
                lanes.lanes[lane] += values[i + lane];
            }
        }
        for (std::int64_t i = whole; i < columns; ++i) {
            values[i] = expBelow(values[i] - top);
            lanes.lanes[i - whole] += values[i];
        }
        sum[row] = lanes.total();
    }
}

STAGELENS_INLINE void exponentialsLoop(float *out, const float *in, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = expOf(in[i]);
}

/// Calls `part(firstRow, rows)` for blocks of about `elements` elements until interrupted.
template <class Part>
void inBlocks(const LogitShard &shard, std::int64_t elements, const Interrupt &interrupt, const Part &part)
{
    const std::int64_t block = std::max<std::int64_t>(1, elements / std::max<std::int64_t>(1, shard.columns));
    for (std::int64_t row = 0; row < shard.rows && !interrupt(); row += block)
        part(row, std::min(block, shard.rows - row));
}

/// Computes target[first, first + rows): the logits of the labels, 0 if not local.
void labelLogits(float *target, const LogitShard &shard, const std::int32_t *labels, std::int64_t first, std::int64_t rows)
{
    for (std::int64_t row = first; row < first + rows; ++row) {
        const std::int64_t column = shard.local(labels[row]);
        target[row] = column < 0 ? 0.0F : shard.logits[row * shard.columns + column];
    }
}

} // namespace

void rowMaxima(float *maximum, float *target, const LogitShard &shard, const std::int32_t *labels, const Interrupt &interrupt)
{
    inBlocks(shard, kElementsPerQuestion, interrupt, [&](std::int64_t first, std::int64_t rows) {
        runBest<maxima>(maximum + first, shard.logits + first * shard.columns, rows, shard.columns);
        labelLogits(target, shard, labels, first, rows);
    });
}

void exponentiate(float *sum, const float *maximum, const LogitShard &shard, const Interrupt &interrupt)
{
    inBlocks(shard, kElementsPerQuestion, interrupt, [&](std::int64_t row, std::int64_t rows) {
        runBest<exponentiateRows>(sum + row, maximum + row, shard.logits + row * shard.columns, rows, shard.columns);
    });
}

void localSoftmax(float *maximum, float *sum, float *target, const LogitShard &shard, const std::int32_t *labels,
                  const Interrupt &interrupt)
{
    inBlocks(shard, kElementsInCache, interrupt, [&](std::int64_t first, std::int64_t rows) {
        float *logits = shard.logits + first * shard.columns;
        runBest<maxima>(maximum + first, logits, rows, shard.columns);
        labelLogits(target, shard, labels, first, rows);
        runBest<exponentiateRows>(sum + first, maximum + first, logits, rows, shard.columns);
    });
}

void exponentials(float *out, const float *in, std::int64_t count)
{
    runBest<exponentialsLoop>(out, in, count);
}

} // namespace stagelens::kernels
