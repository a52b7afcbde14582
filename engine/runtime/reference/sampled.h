// A sampled softmax in float64, token by token.
#pragma once

#include "engine/runtime/reference/family.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::runtime::reference {

/// A word that a token is compared with, and its logit less the logarithm of its expected count.
struct CorrectedLogit {
    std::size_t word = 0;
    double value = 0;
};

/// Returns the loss of the first of these words against all.
[[nodiscard]] double lossOfFirst(const std::vector<CorrectedLogit> &logits);

/// The softmax over the label of each token of a microbatch and the words that are drawn for it.
class SampledSoftmax {
public:
    /// `number`: of the microbatch among those of all steps.
    SampledSoftmax(const model::ModelConfig &model, std::uint64_t seed, std::int64_t number);

    struct Tokens {
        const Matrix &x;
        const Matrix &table;
        std::span<const std::int32_t> labels;
        double weight; ///< of a label in the loss of the step
    };
    /// Returns the sum of the losses, and adds the gradients of the table and of x.
    [[nodiscard]] double addGradients(const Tokens &tokens, Matrix &ofTable, Matrix &ofX) const;

private:
    std::vector<std::size_t> m_words;
    std::vector<double> m_counts; ///< expected, of every word
};

} // namespace stagelens::runtime::reference
