// How context ranks divide the tokens of a sequence.
#pragma once

#include "engine/layout/shard.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace stagelens::layout {

/// The tokens of one context rank. A sequence is cut into 2 c chunks; rank i of c has chunks i and 2 c - 1 - i, so that all
/// ranks have equally many query-key pairs under a causal mask. Its rows are the tokens of the first chunk, then those of the
/// second. One rank has all tokens in order. The sequence must be a multiple of 2 c.
class ContextCut {
public:
    ContextCut(std::int64_t sequence, int ranks, int rank) : m_sequence(sequence), m_ranks(ranks), m_rank(rank) {}

    [[nodiscard]] std::int64_t sequence() const { return m_sequence; }
    [[nodiscard]] int ranks() const { return m_ranks; }
    /// Returns the rows of a sequence that the rank has.
    [[nodiscard]] std::int64_t rows() const { return m_sequence / m_ranks; }
    /// Returns the positions of the two halves of the rows; with one rank the second is empty.
    [[nodiscard]] std::array<Interval, 2> chunks() const
    {
        if (m_ranks == 1)
            return {{{0, m_sequence}, {m_sequence, m_sequence}}};
        const std::int64_t length = m_sequence / (2 * std::int64_t{m_ranks});
        const std::int64_t second = (2 * std::int64_t{m_ranks} - 1 - m_rank) * length;
        return {{{m_rank * length, (m_rank + 1) * length}, {second, second + length}}};
    }
    /// Calls `visit(first row, its position, rows)` for each run of consecutive positions in rows [begin, end) of a microbatch,
    /// whose sequences follow each other. The first row counts within the microbatch, the position within its sequence.
    template <class Visit>
    void eachRun(const Interval &own, const Visit &visit) const
    {
        const std::array<Interval, 2> parts = chunks();
        for (std::int64_t row = own.begin; row < own.end;) {
            const std::int64_t inSequence = row % rows();
            const bool isSecond = inSequence >= parts[0].size();
            const Interval &part = parts[isSecond ? 1 : 0];
            const std::int64_t inPart = isSecond ? inSequence - parts[0].size() : inSequence;
            const std::int64_t count = std::min(part.size() - inPart, own.end - row);
            visit(row, part.begin + inPart, count);
            row += count;
        }
    }

private:
    std::int64_t m_sequence;
    int m_ranks;
    int m_rank;
};

} // namespace stagelens::layout
