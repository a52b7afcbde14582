#include "kernels/include/attention.h"

#include "kernels/cpu/lanes.h"
#include "kernels/include/matmul.h"

#include <algorithm>
#include <cmath>

namespace stagelens::kernels {
namespace {

/// Queries of a tile: with all their keys the scores of a tile stay in the second-level cache for sequences up to a few
/// thousand.
constexpr std::int64_t kTile = 64;

/// One (sequence, head) with a tile of its queries [begin, end), which see the keys [0, end).
struct Tile {
    const float *q;
    const float *k;
    const float *v;
    std::int64_t begin;
    std::int64_t end;
    std::int64_t stride; ///< between tokens of q, k and v
    std::int64_t size;
    float scale;
    [[nodiscard]] std::int64_t rows() const { return end - begin; }
};

/// scores[rows, end] = scale q k^T
void scoresOf(float *scores, const Tile &t)
{
    multiply({.rows = t.rows(),
              .columns = t.end,
              .inner = t.size,
              .a = {t.q + t.begin * t.stride, t.stride},
              .b = {t.k, t.stride, Form::Transposed},
              .c = scores,
              .stride = t.end,
              .alpha = t.scale});
}

STAGELENS_MULTIVERSIONED float rowMaximum(const float *scores, std::int64_t count)
{
    return maximumOf(scores, count);
}

/// Exponentials of the first `visible` of `count` scores in place, below `top`; the others become 0. Answers the sum.
STAGELENS_MULTIVERSIONED float exponentiateRow(float *scores, float top, std::int64_t visible, std::int64_t count)
{
    LaneSum sum;
    const std::int64_t whole = visible - visible % kLanes;
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            scores[i + lane] = expOf(scores[i + lane] - top);
            sum.lanes[lane] += scores[i + lane];
        }
    }
    for (std::int64_t i = whole; i < visible; ++i) {
        scores[i] = expOf(scores[i] - top);
        sum.lanes[i - whole] += scores[i];
    }
    std::fill(scores + visible, scores + count, 0.0F);
    return sum.total();
}

/// gradient = scale * probability * (gradient - mean), the softmax's backward.
STAGELENS_MULTIVERSIONED void scoreGradientRow(float *__restrict gradient, const float *__restrict probability, float mean,
                                               float scale, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        gradient[i] = scale * probability[i] * (gradient[i] - mean);
}

STAGELENS_MULTIVERSIONED void scaleRow(float *row, float factor, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        row[i] *= factor;
}

float dot(const float *a, const float *b, std::int64_t count)
{
    float sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
        sum += a[i] * b[i];
    return sum;
}

void forwardTile(float *out, std::int64_t outStride, float *logSumExp, const Tile &t, float *scores)
{
    scoresOf(scores, t);
    float inverse[kTile];
    for (std::int64_t row = 0; row < t.rows(); ++row) {
        float *line = scores + row * t.end;
        const std::int64_t visible = t.begin + row + 1;
        const float top = rowMaximum(line, visible);
        const float sum = exponentiateRow(line, top, visible, t.end);
        inverse[row] = 1.0F / sum;
        logSumExp[t.begin + row] = top + std::log(sum);
    }
    multiply({.rows = t.rows(),
              .columns = t.size,
              .inner = t.end,
              .a = {scores, t.end},
              .b = {t.v, t.stride},
              .c = out + t.begin * outStride,
              .stride = outStride});
    for (std::int64_t row = 0; row < t.rows(); ++row)
        scaleRow(out + (t.begin + row) * outStride, inverse[row], t.size);
}

/// Gradients of one (sequence, head), in the layout of q, k and v, and the forward's results.
struct BackwardHead {
    float *dq;
    float *dk;
    float *dv;
    const float *out;
    const float *outGradient;
    std::int64_t outStride;
    const float *logSumExp;
};

void backwardTile(const BackwardHead &head, const Tile &t, float *probability, float *gradient)
{
    scoresOf(probability, t);
    for (std::int64_t row = 0; row < t.rows(); ++row)
        exponentiateRow(probability + row * t.end, head.logSumExp[t.begin + row], t.begin + row + 1, t.end);
    const Operand dOut{head.outGradient + t.begin * head.outStride, head.outStride};
    multiply({.rows = t.end, // dV += P^T dO
              .columns = t.size,
              .inner = t.rows(),
              .a = {probability, t.end, Form::Transposed},
              .b = dOut,
              .c = head.dv,
              .stride = t.stride,
              .beta = 1});
    multiply({.rows = t.rows(), // dP = dO V^T
              .columns = t.end,
              .inner = t.size,
              .a = dOut,
              .b = {t.v, t.stride, Form::Transposed},
              .c = gradient,
              .stride = t.end});
    for (std::int64_t row = 0; row < t.rows(); ++row) {
        const std::int64_t token = (t.begin + row) * head.outStride;
        const float mean = dot(head.outGradient + token, head.out + token, t.size);
        scoreGradientRow(gradient + row * t.end, probability + row * t.end, mean, t.scale, t.end);
    }
    multiply({.rows = t.rows(), // dQ = dS K
              .columns = t.size,
              .inner = t.end,
              .a = {gradient, t.end},
              .b = {t.k, t.stride},
              .c = head.dq + t.begin * t.stride,
              .stride = t.stride});
    multiply({.rows = t.end, // dK += dS^T Q
              .columns = t.size,
              .inner = t.rows(),
              .a = {gradient, t.end, Form::Transposed},
              .b = {t.q + t.begin * t.stride, t.stride},
              .c = head.dk,
              .stride = t.stride,
              .beta = 1});
}

/// Where the queries, keys and values of a query head stand in a token's row of qkv.
struct HeadColumns {
    std::int64_t q;
    std::int64_t k;
    std::int64_t v;
    HeadColumns(const AttentionShape &shape, std::int64_t head)
        : q(head * shape.size), k(shape.width() + head / (shape.heads / shape.kvHeads) * shape.size), v(k + shape.kvWidth())
    {}
};

/// Calls `part(sequence, head, tile)` for every tile until the interrupt says yes.
template <class Part>
void forEachTile(const float *qkv, const AttentionShape &shape, const Interrupt &interrupt, const Part &part)
{
    const std::int64_t stride = shape.qkvWidth();
    const float scale = 1.0F / std::sqrt(static_cast<float>(shape.size));
    for (std::int64_t sequence = 0; sequence < shape.batch; ++sequence) {
        for (std::int64_t head = 0; head < shape.heads; ++head) {
            const float *first = qkv + sequence * shape.sequence * stride;
            const HeadColumns at(shape, head);
            for (std::int64_t begin = 0; begin < shape.sequence; begin += kTile) {
                if (interrupt())
                    return;
                const std::int64_t end = std::min(begin + kTile, shape.sequence);
                part(sequence, head, Tile{first + at.q, first + at.k, first + at.v, begin, end, stride, shape.size, scale});
            }
        }
    }
}

} // namespace

std::int64_t attentionScratch(const AttentionShape &shape)
{
    return 2 * std::min(kTile, shape.sequence) * shape.sequence;
}

void attentionForward(float *out, float *logSumExp, const float *qkv, const AttentionShape &shape, float *scratch,
                      const Interrupt &interrupt)
{
    forEachTile(qkv, shape, interrupt, [&](std::int64_t sequence, std::int64_t head, const Tile &tile) {
        float *headOut = out + sequence * shape.sequence * shape.width() + head * shape.size;
        float *headLogSumExp = logSumExp + (sequence * shape.heads + head) * shape.sequence;
        forwardTile(headOut, shape.width(), headLogSumExp, tile, scratch);
    });
}

void attentionBackward(float *qkvGradient, const float *outGradient, const float *qkv, const float *out, const float *logSumExp,
                       const AttentionShape &shape, float *scratch, const Interrupt &interrupt)
{
    std::fill_n(qkvGradient, shape.batch * shape.sequence * shape.qkvWidth(), 0.0F);
    float *second = scratch + attentionScratch(shape) / 2;
    forEachTile(qkv, shape, interrupt, [&](std::int64_t sequence, std::int64_t head, const Tile &tile) {
        const std::int64_t token = sequence * shape.sequence;
        const HeadColumns at(shape, head);
        float *first = qkvGradient + token * shape.qkvWidth();
        const std::int64_t place = token * shape.width() + at.q;
        const BackwardHead state{first + at.q,
                                 first + at.k,
                                 first + at.v,
                                 out + place,
                                 outGradient + place,
                                 shape.width(),
                                 logSumExp + (sequence * shape.heads + head) * shape.sequence};
        backwardTile(state, tile, scratch, second);
    });
}

} // namespace stagelens::kernels
