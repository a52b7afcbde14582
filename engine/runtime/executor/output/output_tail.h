// The words of an adaptive softmax beyond its head (arXiv 1609.04309). A token whose label is among them has one more softmax,
// over the words of the tail, from a narrower row.
#pragma once

#include "engine/runtime/layers/context.h"
#include "engine/runtime/state/parameters.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// The tokens of a microbatch for a tail.
struct TailTokens {
    int microbatch = 0;
    ConstValues x;                       ///< input of the output layer, [tokens, h]
    const std::int32_t *words = nullptr; ///< labels
    std::int64_t counted = 0;            ///< the loss is the sum over the first
    float *gradient = nullptr;           ///< of x; null: only the loss
};

/// A tail on the device of the last stage. Computes in the room of the head's exponentials and statistics.
class OutputTail {
public:
    OutputTail(const model::VocabularyTail &tail, Parameter &map, Parameter &table) : m_tail(tail), m_map(map), m_table(table)
    {}

    /// Returns the loss of the tokens whose labels are words of the tail. With a gradient, adds that of x and those of the map
    /// and the table.
    [[nodiscard]] double run(const TailTokens &tokens, const Context &context) const;

private:
    /// The tokens of the tail, in order, and what is computed of them.
    struct Rows {
        std::vector<std::int32_t> tokens;
        std::vector<std::int32_t> words;
        std::int64_t counted = 0;
        Values wide;     ///< their x
        Values narrow;   ///< x P^T
        Values gradient; ///< of `narrow`
        Values scaled;
        float *factors = nullptr;
    };
    [[nodiscard]] Rows rowsOf(const TailTokens &tokens, const Context &context) const;
    /// Computes `count` rows from `first` on.
    [[nodiscard]] double softmax(const Rows &rows, std::int64_t first, std::int64_t count, const TailTokens &tokens,
                                 const Context &context) const;

    model::VocabularyTail m_tail;
    Parameter &m_map;   ///< P [width, h]
    Parameter &m_table; ///< U [words, width]
};

/// Returns the label of each token in the head: the word, or the row of its tail.
[[nodiscard]] std::vector<std::int32_t> headRows(std::span<const std::int32_t> words, const model::ModelConfig &model);

} // namespace stagelens::runtime
