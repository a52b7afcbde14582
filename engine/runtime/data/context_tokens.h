// The tokens of a step that one rank has: of its part of each sequence, and slice by slice.
#pragma once

#include "engine/runtime/data/batch.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stagelens::runtime {

/// Inputs and labels of the microbatches of a replica, [microbatches, b s / c], in the order of the rank's rows. Of tensor
/// ranks that divide the vocabulary layers by tokens, each has its own. With slices, the tokens of a microbatch follow each
/// other slice by slice.
class ContextTokens {
public:
    ContextTokens(Shape shape, int contextRank, int tensorRank)
        : m_whole(shape.wholeTokens()), m_counted(size(shape.sliceCount()))
    {
        for (int slice = 0; slice < shape.sliceCount(); ++slice) {
            shape.choose(slice);
            const std::int64_t first = shape.split.dividesVocabularyByTokens ? shape.firstOwn(tensorRank) : 0;
            const layout::Interval own{first, first + shape.vocabularyTokens()};
            shape.eachRun(contextRank, own, [&](std::int64_t row, std::int64_t position, std::int64_t rows) {
                m_runs.push_back({row / shape.sequence * shape.wholeSequence() + position, rows, size(slice)});
            });
        }
    }

    /// Takes the tokens of replica `replica` of `replicas`. `labels`: of the batch, several of a token one after another.
    void load(const Batch &batch, const std::vector<std::int32_t> &labels, int replica, int replicas)
    {
        m_inputs.clear();
        m_labels.clear();
        const auto count = static_cast<std::int64_t>(batch.allInputs().size()) / m_whole;
        for (std::int64_t microbatch = replica; microbatch < count; microbatch += replicas) {
            append(m_inputs, batch.allInputs(), microbatch * m_whole, 1);
            append(m_labels, labels, microbatch * m_whole, std::ssize(labels) / std::ssize(batch.allInputs()));
        }
        std::ranges::fill(m_counted, 0);
        for (const Run &run : m_runs)
            m_counted[run.slice] += std::clamp<std::int64_t>(batch.countedTokens() - run.place, 0, run.rows);
    }
    [[nodiscard]] const std::vector<std::int32_t> &inputs() const { return m_inputs; }
    [[nodiscard]] const std::vector<std::int32_t> &labels() const { return m_labels; }
    /// Returns how many tokens of each microbatch, by slice, the loss counts. As positions count up, these are the first.
    [[nodiscard]] const std::vector<std::int64_t> &countedTokens() const { return m_counted; }

private:
    /// Tokens that follow each other in a microbatch.
    struct Run {
        std::int64_t place = 0; ///< of the first
        std::int64_t rows = 0;
        std::size_t slice = 0;
    };
    /// Appends the tokens of a microbatch, of which the first is `first`, with `each` numbers for each.
    void append(std::vector<std::int32_t> &to, const std::vector<std::int32_t> &from, std::int64_t first,
                std::int64_t each) const
    {
        for (const Run &run : m_runs)
            to.insert(to.end(), from.begin() + each * (first + run.place),
                      from.begin() + each * (first + run.place + run.rows));
    }

    std::int64_t m_whole; ///< tokens of a microbatch on all ranks
    std::vector<Run> m_runs;
    std::vector<std::int64_t> m_counted;
    std::vector<std::int32_t> m_inputs;
    std::vector<std::int32_t> m_labels;
};

} // namespace stagelens::runtime
