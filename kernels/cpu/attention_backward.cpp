#include "kernels/cpu/attention_tiles.h"

#include <algorithm>

namespace stagelens::kernels {
namespace {

/// gradient = scale * probability * (gradient - mean): the backward of the softmax, row by row.
STAGELENS_INLINE void scoreGradients(float *__restrict gradient, const Scores &block, const float *mean)
{
    const std::int64_t columns = block.columns();
    for (std::int64_t row = 0; row < block.rows; ++row) {
        float *__restrict to = gradient + row * kKeys;
        const float *__restrict probability = block.values + row * kKeys;
        for (std::int64_t i = 0; i < columns; ++i)
            to[i] = block.scale * probability[i] * (to[i] - mean[row]);
    }
}

STAGELENS_INLINE float dot(const float *a, const float *b, std::int64_t count)
{
    LaneSum sum;
    const std::int64_t whole = count - count % kLanes;
    for (std::int64_t i = 0; i < whole; i += kLanes)
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            sum.lanes[lane] += a[i + lane] * b[i + lane];
    for (std::int64_t i = whole; i < count; ++i)
        sum.lanes[i - whole] += a[i] * b[i];
    return sum.total();
}

/// to[keys, width] += weights^T [keys, rows] B of the visible part. The panels of B contain the rows of the tile.
void addTurned(float *to, const Scores &block, const float *weights, const float *panels, const Space &space)
{
    const std::int64_t step = block.visible(0) == block.keys ? block.keys : kStep;
    for (std::int64_t key = 0; key < block.keys; key += step) {
        const std::int64_t row = std::max<std::int64_t>(0, block.key + key - block.first); // the first that sees the key
        multiplyTile({.rows = std::min(step, block.keys - key),
                      .panels = space.width / kPanel,
                      .inner = block.rows - row,
                      .a = weights + row * kKeys + key,
                      .rowStep = 1,
                      .innerStep = kKeys,
                      .b = panels + row * kPanel,
                      .panelStep = kQueries * kPanel,
                      .c = to + (block.key + key) * space.width,
                      .stride = space.width,
                      .adds = true});
    }
}

/// Sets the masked and padded probabilities of a block to 0, as the exponential of -infinity.
void clearMasked(const Scores &block)
{
    for (std::int64_t row = 0; row < block.rows; ++row)
        std::fill(block.values + row * kKeys + block.visible(row), block.values + row * kKeys + block.columns(), 0.0F);
}

/// The saved tensors of one sequence, and the gradient of its output.
struct Outcome {
    const float *out;
    const float *outGradient;
    const float *logSumExp;
    const float *probabilities; ///< [heads, sequence, positions], or null: computed again
};

/// Backward of the query heads of one key and value head.
class Backward {
public:
    /// `gradient` is of the fused rows, `keyGradient` of the first row of keys.
    Backward(const Sequence &sequence, float *gradient, float *keyGradient, const Outcome &outcome, float *scratch,
             const Interrupt &interrupt)
        : m_sequence(sequence), m_shape(sequence.shape), m_gradient(gradient), m_keyRows(keyGradient), m_outcome(outcome),
          m_interrupt(interrupt), m_space(m_shape, scratch), m_keysTransposed(m_space.ofKeys()), m_keys(m_space.ofKeys()),
          m_valuesTransposed(m_space.ofKeys()), m_keyGradient(m_space.ofKeys()), m_valueGradient(m_space.ofKeys()),
          m_scores(m_space.ofScores()), m_scoreGradient(m_space.ofScores()), m_queries(m_space.ofQueries()),
          m_outGradient(m_space.ofQueries()), m_queryGradient(m_space.ofQueries())
    {}
    [[nodiscard]] bool run(std::int64_t kvHead)
    {
        const Sequence &s = m_sequence;
        const std::int64_t positions = m_shape.positions();
        const std::int64_t seen = m_shape.visible();
        const float *keys = s.keys + s.keyColumn(kvHead);
        packRows(m_keysTransposed, keys, s.keyStride, seen, m_shape.size);
        packColumns(m_keys, m_space.keys * kPanel, keys, s.keyStride, seen, m_shape.size);
        packRows(m_valuesTransposed, s.keys + s.valueColumn(kvHead), s.keyStride, seen, m_shape.size);
        // A slice leaves the gradients of later positions as they are; a part of a ring sets those that it does not see to 0.
        const std::int64_t written = m_shape.isOneChunk ? seen : positions;
        std::fill_n(m_keyGradient, written * m_space.width, 0.0F);
        std::fill_n(m_valueGradient, written * m_space.width, 0.0F);
        if (m_shape.addsKeyGradients) {
            load(m_keyGradient, written, m_keyRows + s.keyColumn(kvHead), s.keyStride);
            load(m_valueGradient, written, m_keyRows + s.valueColumn(kvHead), s.keyStride);
        }
        for (std::int64_t head = kvHead * s.group(); head < (kvHead + 1) * s.group(); ++head)
            if (!s.forTiles([&](auto row, auto position, auto rows) { return tile(head, row, position, rows); }))
                return false;
        unload(m_keyGradient, written, m_keyRows + s.keyColumn(kvHead), s.keyStride);
        unload(m_valueGradient, written, m_keyRows + s.valueColumn(kvHead), s.keyStride);
        return true;
    }

private:
    bool tile(std::int64_t head, std::int64_t first, std::int64_t position, std::int64_t rows)
    {
        const std::int64_t positions = m_shape.positions();
        const std::int64_t column = m_sequence.queryColumn(head);
        const float *queries = m_sequence.qkv + first * m_sequence.stride + column;
        const std::int64_t at = first * m_shape.width() + column;
        const float *outGradient = m_outcome.outGradient + at;
        float mean[kQueries];
        for (std::int64_t row = 0; row < rows; ++row)
            mean[row] =
                runBest<dot>(outGradient + row * m_shape.width(), m_outcome.out + at + row * m_shape.width(), m_shape.size);
        packColumns(m_queries, kQueries * kPanel, queries, m_sequence.stride, rows, m_shape.size);
        packColumns(m_outGradient, kQueries * kPanel, outGradient, m_shape.width(), rows, m_shape.size);
        std::fill_n(m_queryGradient, rows * m_space.width, 0.0F);
        float *const gradient = m_gradient + first * m_sequence.stride + column;
        if (m_shape.extends)
            for (std::int64_t row = 0; row < rows; ++row)
                std::copy_n(gradient + row * m_sequence.stride, m_shape.size, m_queryGradient + row * m_space.width);
        const Queries seeing{position, rows, m_shape.visible()};
        const float *logSumExp = m_outcome.logSumExp + head * m_shape.sequence + first;
        const float *const kept = m_outcome.probabilities != nullptr
                                      ? m_outcome.probabilities + (head * m_shape.sequence + first) * positions
                                      : nullptr;
        const bool done = forBlocks(m_scores, seeing, m_sequence.scale, m_interrupt, [&](const Scores &block) {
            if (kept != nullptr) {
                copyVisible(m_scores, kKeys, kept + block.key, positions, block);
                clearMasked(block);
            } else {
                scoresOf(m_scores, block, queries, m_sequence.stride, m_keysTransposed, m_shape.size);
                runBest<probabilities>(block, logSumExp);
            }
            addTurned(m_valueGradient, block, m_scores, m_outGradient, m_space);
            scoresOf(m_scoreGradient, block, outGradient, m_shape.width(), m_valuesTransposed, m_shape.size);
            runBest<scoreGradients>(m_scoreGradient, block, +mean);
            addMixed(m_queryGradient, block, m_scoreGradient, m_keys, m_space);
            addTurned(m_keyGradient, block, m_scoreGradient, m_queries, m_space);
        });
        unload(m_queryGradient, rows, gradient, m_sequence.stride);
        return done;
    }
    /// Copies rows of a gradient of one head to its columns among others.
    void unload(const float *from, std::int64_t rows, float *to, std::int64_t stride)
    {
        for (std::int64_t row = 0; row < rows; ++row)
            std::copy_n(from + row * m_space.width, m_shape.size, to + row * stride);
    }
    void load(float *to, std::int64_t rows, const float *from, std::int64_t stride)
    {
        for (std::int64_t row = 0; row < rows; ++row)
            std::copy_n(from + row * stride, m_shape.size, to + row * m_space.width);
    }

    const Sequence &m_sequence;
    const AttentionShape &m_shape;
    float *m_gradient;
    float *m_keyRows;
    Outcome m_outcome;
    const Interrupt &m_interrupt;
    Space m_space;
    float *m_keysTransposed;   ///< panels of K^T
    float *m_keys;             ///< panels of K
    float *m_valuesTransposed; ///< panels of V^T
    float *m_keyGradient;      ///< [keys, width], and the next
    float *m_valueGradient;
    float *m_scores;
    float *m_scoreGradient;
    float *m_queries;     ///< panels of the tile's Q
    float *m_outGradient; ///< panels of the tile's dO
    float *m_queryGradient;
};

} // namespace

std::int64_t attentionScratch(const AttentionShape &shape)
{
    Space space(shape, nullptr);
    return 5 * space.keys * space.width + 2 * kQueries * kKeys + 3 * kQueries * space.width;
}

void attentionBackward(float *qkvGradient, const float *outGradient, const float *qkv, const float *out, const float *logSumExp,
                       const AttentionShape &shape, float *scratch, const Interrupt &interrupt, const float *probabilities,
                       const GatheredKeys &keys)
{
    for (std::int64_t index = 0; index < shape.batch; ++index) {
        const Sequence sequence(shape, qkv, keys, index);
        const std::int64_t place = index * shape.sequence * shape.width();
        const std::int64_t rows = index * shape.heads * shape.sequence;
        float *const gradient = qkvGradient + index * shape.sequence * shape.qkvWidth();
        float *const keyGradient = keys.gradient != nullptr ? keys.gradient + index * shape.positions() * 2 * shape.kvWidth()
                                                            : gradient + shape.width();
        Backward backward(sequence, gradient, keyGradient,
                          {out + place, outGradient + place, logSumExp + rows,
                           probabilities != nullptr ? probabilities + rows * shape.positions() : nullptr},
                          scratch, interrupt);
        for (std::int64_t kvHead = 0; kvHead < shape.kvHeads; ++kvHead)
            if (!backward.run(kvHead))
                return;
    }
}

} // namespace stagelens::kernels
