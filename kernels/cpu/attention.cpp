#include "kernels/include/attention.h"

#include "kernels/cpu/lanes.h"
#include "kernels/cpu/tile_product.h"

#include <algorithm>
#include <cmath>

namespace stagelens::kernels {
namespace {

/// A tile: scores of 64 queries with 128 keys, 32 KiB. Both are multiples of the step.
constexpr std::int64_t kQueries = 64;
constexpr std::int64_t kKeys = 128;
/// Rows per step on the diagonal, so that few masked scores are computed.
constexpr std::int64_t kStep = kPanel;

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

STAGELENS_INLINE void probabilities(const Scores &block, const float *logSumExp)
{
    for (std::int64_t row = 0; row < block.rows; ++row)
        exponentiateRow(block.masked(row), block.scale, logSumExp[row], block.columns());
}

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
void scoresOf(float *scores, const Scores &block, const float *a, std::int64_t stride, const float *panels, std::int64_t size)
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
void addMixed(float *to, const Scores &block, const float *weights, const float *panels, const Space &space)
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
void copyVisible(float *to, std::int64_t toStride, const float *from, std::int64_t fromStride, const Scores &block)
{
    for (std::int64_t row = 0; row < block.rows; ++row)
        std::copy_n(from + row * fromStride, block.visible(row), to + row * toStride);
}

/// Sets the masked and padded probabilities of a block to 0, as the exponential of -infinity.
void clearMasked(const Scores &block)
{
    for (std::int64_t row = 0; row < block.rows; ++row)
        std::fill(block.values + row * kKeys + block.visible(row), block.values + row * kKeys + block.columns(), 0.0F);
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
        return done;
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
