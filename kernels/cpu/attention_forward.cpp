#include "kernels/cpu/attention_tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagelens::kernels {
namespace {

/// The online softmax (Milakov & Gimelshein, arXiv 1805.02867): computes exponentials relative to the greatest score so far,
/// and rescales the earlier sum and the rows of `mixed` [rows, width].
STAGELENS_INLINE void onlineSoftmax(const Scores &block, float *maximum, float *sum, float *mixed, std::int64_t width)
{
    for (std::int64_t row = 0; row < block.rows; ++row) {
        float *line = block.masked(row);
        const float top = greaterOfTwo(maximum[row], maximumOf(line, block.columns()) * block.scale);
        const float shrink = expBelow(maximum[row] - top); // 0 for the first block
        sum[row] = sum[row] * shrink + exponentiateRow(line, block.scale, top, block.columns());
        maximum[row] = top;
        for (std::int64_t i = 0; i < width; ++i)
            mixed[row * width + i] *= shrink;
    }
}

/// Forward of the query heads of one key and value head.
class Forward {
public:
    Forward(const Sequence &sequence, float *out, float *logSumExp, float *probabilities, float *scratch,
            const Interrupt &interrupt)
        : m_sequence(sequence), m_shape(sequence.shape), m_out(out), m_logSumExp(logSumExp), m_probabilities(probabilities),
          m_interrupt(interrupt), m_space(m_shape, scratch), m_keys(m_space.ofKeys()), m_values(m_space.ofKeys()),
          m_scores(m_space.ofScores()), m_mixed(m_space.ofQueries())
    {}
    [[nodiscard]] bool run(std::int64_t kvHead)
    {
        const Sequence &s = m_sequence;
        const std::int64_t positions = m_shape.visible();
        packRows(m_keys, s.keys + s.keyColumn(kvHead), s.keyStride, positions, m_shape.size);
        packColumns(m_values, m_space.keys * kPanel, s.keys + s.valueColumn(kvHead), s.keyStride, positions, m_shape.size);
        for (std::int64_t head = kvHead * s.group(); head < (kvHead + 1) * s.group(); ++head)
            if (!s.forTiles([&](auto row, auto position, auto rows) { return tile(head, row, position, rows); }))
                return false;
        return true;
    }

private:
    bool tile(std::int64_t head, std::int64_t first, std::int64_t position, std::int64_t rows)
    {
        const std::int64_t positions = m_shape.positions();
        float maximum[kQueries];
        float sum[kQueries] = {};
        const Queries seeing{position, rows, m_shape.visible()};
        beginSoftmax(head, first, rows, maximum, sum);
        const float *queries = m_sequence.qkv + first * m_sequence.stride + m_sequence.queryColumn(head);
        float *const kept =
            m_probabilities != nullptr ? m_probabilities + (head * m_shape.sequence + first) * positions : nullptr;
        bool done = forBlocks(m_scores, seeing, m_sequence.scale, m_interrupt, [&](const Scores &block) {
            scoresOf(m_scores, block, queries, m_sequence.stride, m_keys, m_shape.size);
            if (kept != nullptr)
                copyVisible(kept + block.key, positions, m_scores, kKeys, block);
            runBest<onlineSoftmax>(block, +maximum, +sum, m_mixed, m_space.width);
            addMixed(m_mixed, block, m_scores, m_values, m_space);
        });
        for (std::int64_t row = 0; row < rows; ++row) {
            const float inverse = 1.0F / sum[row];
            std::transform(m_mixed + row * m_space.width, m_mixed + row * m_space.width + m_shape.size,
                           m_out + (first + row) * m_shape.width() + m_sequence.queryColumn(head),
                           [inverse](float value) { return value * inverse; });
            m_logSumExp[head * m_shape.sequence + first + row] = maximum[row] + std::log(sum[row]);
        }
        const float *logSumExp = m_logSumExp + head * m_shape.sequence + first;
        if (kept != nullptr && done)
            done = forBlocks(m_scores, seeing, m_sequence.scale, m_interrupt, [&](const Scores &block) {
                copyVisible(m_scores, kKeys, kept + block.key, positions, block);
                runBest<probabilities>(block, logSumExp);
                copyVisible(kept + block.key, positions, m_scores, kKeys, block);
            });
        if (kept != nullptr)
            clearMasked(kept, seeing);
        return done;
    }
    /// Sets the probabilities of what the queries do not see to 0, as a codec reads whole rows.
    void clearMasked(float *kept, const Queries &queries) const
    {
        const std::int64_t positions = m_shape.positions();
        for (std::int64_t row = 0; row < queries.rows; ++row) {
            const std::int64_t seen = std::min(queries.first + row + 1, queries.keys);
            std::fill(kept + row * positions + seen, kept + (row + 1) * positions, 0.0F);
        }
    }

    /// An earlier part is a block whose scores have the maximum `log-sum-exp` and the sum 1.
    void beginSoftmax(std::int64_t head, std::int64_t first, std::int64_t rows, float *maximum, float *sum)
    {
        std::fill_n(maximum, rows, -std::numeric_limits<float>::infinity());
        std::fill_n(m_mixed, rows * m_space.width, 0.0F);
        if (!m_shape.extends)
            return;
        std::copy_n(m_logSumExp + head * m_shape.sequence + first, rows, maximum);
        std::fill_n(sum, rows, 1.0F);
        for (std::int64_t row = 0; row < rows; ++row)
            std::copy_n(m_out + (first + row) * m_shape.width() + m_sequence.queryColumn(head), m_shape.size,
                        m_mixed + row * m_space.width);
    }

    const Sequence &m_sequence;
    const AttentionShape &m_shape;
    float *m_out;
    float *m_logSumExp;
    float *m_probabilities; ///< [heads, sequence, positions], or null
    const Interrupt &m_interrupt;
    Space m_space;
    float *m_keys;   ///< panels of K^T
    float *m_values; ///< panels of V
    float *m_scores;
    float *m_mixed; ///< [rows, width]
};

} // namespace

void attentionForward(float *out, float *logSumExp, const float *qkv, const AttentionShape &shape, float *scratch,
                      const Interrupt &interrupt, float *probabilities, const GatheredKeys &keys)
{
    for (std::int64_t index = 0; index < shape.batch; ++index) {
        const Sequence sequence(shape, qkv, keys, index);
        const std::int64_t rows = index * shape.heads * shape.sequence;
        Forward forward(sequence, out + index * shape.sequence * shape.width(), logSumExp + rows,
                        probabilities != nullptr ? probabilities + rows * shape.positions() : nullptr, scratch, interrupt);
        for (std::int64_t kvHead = 0; kvHead < shape.kvHeads; ++kvHead)
            if (!forward.run(kvHead))
                return;
    }
}

} // namespace stagelens::kernels
