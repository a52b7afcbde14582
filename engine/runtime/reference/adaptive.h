// An adaptive softmax in float64, token by token.
#pragma once

#include "engine/runtime/reference/family.h"

#include <cstddef>
#include <vector>

namespace stagelens::runtime::reference {

/// The head and the tails, which are the last parameters of a model: map and table of each tail, then the head.
class AdaptiveSoftmax {
public:
    AdaptiveSoftmax(const model::ModelConfig &model, const Matrices &values);

    /// Returns the logarithm of the probability of a word from the output of the final norm.
    [[nodiscard]] double logProbability(const std::vector<double> &x, std::size_t word) const;
    /// Adds the gradients of -weight x logProbability() to those of the parameters and of x.
    void addGradients(const std::vector<double> &x, std::size_t word, double weight, double *ofX, Matrices &gradients) const;

private:
    /// Returns the logarithm of the softmax of table x at a row. `distances`: what each probability lacks to the label's.
    [[nodiscard]] static double logSoftmax(const Matrix &table, const std::vector<double> &x, std::size_t row,
                                           std::vector<double> *distances);
    /// Adds the gradients of `weight` x the cross-entropy at a row to the table's and to x's.
    static void addCrossEntropy(const Matrix &table, Matrix &gradient, const std::vector<double> &x, std::size_t row,
                                double weight, double *ofX);
    [[nodiscard]] std::size_t tailOf(std::size_t word) const; ///< or the number of tails
    [[nodiscard]] std::vector<double> narrow(const std::vector<double> &x, std::size_t tail) const;
    [[nodiscard]] std::size_t map(std::size_t tail) const { return m_values.size() - 1 - 2 * (m_ends.size() - tail); }

    const Matrices &m_values;
    std::size_t m_first;               ///< words of the head
    std::vector<std::size_t> m_firsts; ///< of each tail
    std::vector<std::size_t> m_ends;
};

} // namespace stagelens::runtime::reference
