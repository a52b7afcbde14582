// The tokens of a step that one context rank has.
#pragma once

#include "engine/runtime/data/batch.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stagelens::runtime {

/// Inputs and labels of the microbatches of a replica, [microbatches, b s / c], in the order of the rank's rows.
class ContextTokens {
public:
    ContextTokens(const Shape &shape, int contextRank)
        : m_cut(shape.contextCut(contextRank)), m_batch(shape.batch), m_whole(shape.wholeTokens())
    {}

    /// Takes the tokens of replica `replica` of `replicas`.
    void load(const Batch &batch, int replica, int replicas)
    {
        m_inputs.clear();
        m_labels.clear();
        const auto count = static_cast<std::int64_t>(batch.allInputs().size()) / m_whole;
        for (std::int64_t microbatch = replica; microbatch < count; microbatch += replicas) {
            append(m_inputs, batch.allInputs(), microbatch * m_whole);
            append(m_labels, batch.allLabels(), microbatch * m_whole);
        }
        m_counted = 0;
        eachRun([&](std::int64_t place, std::int64_t rows) {
            m_counted += std::clamp<std::int64_t>(batch.countedTokens() - place, 0, rows);
        });
    }
    [[nodiscard]] const std::vector<std::int32_t> &inputs() const { return m_inputs; }
    [[nodiscard]] const std::vector<std::int32_t> &labels() const { return m_labels; }
    /// Returns how many tokens of each microbatch the loss counts. As positions count up, these are the first.
    [[nodiscard]] std::int64_t countedTokens() const { return m_counted; }

private:
    /// Calls `visit(first token in the microbatch, count)` for the runs of tokens that the rank has.
    template <class Visit>
    void eachRun(const Visit &visit) const
    {
        m_cut.eachRun({0, m_batch * m_cut.rows()}, [&](std::int64_t row, std::int64_t position, std::int64_t rows) {
            visit(row / m_cut.rows() * m_cut.sequence() + position, rows);
        });
    }
    void append(std::vector<std::int32_t> &to, const std::vector<std::int32_t> &from, std::int64_t first) const
    {
        eachRun([&](std::int64_t place, std::int64_t rows) {
            const auto begin = from.begin() + first + place;
            to.insert(to.end(), begin, begin + rows);
        });
    }

    layout::ContextCut m_cut;
    std::int64_t m_batch;
    std::int64_t m_whole; ///< tokens of a microbatch on all ranks
    std::int64_t m_counted = 0;
    std::vector<std::int32_t> m_inputs;
    std::vector<std::int32_t> m_labels;
};

} // namespace stagelens::runtime
