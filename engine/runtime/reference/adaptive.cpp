#include "engine/runtime/reference/adaptive.h"

#include <cmath>

namespace stagelens::runtime::reference {

AdaptiveSoftmax::AdaptiveSoftmax(const model::ModelConfig &model, const Matrices &values) : m_values(values)
{
    const auto words = static_cast<std::size_t>(model.vocabularySize);
    std::vector<std::size_t> cuts(model.adaptiveCutoffs.begin(), model.adaptiveCutoffs.end());
    if (cuts.back() < words)
        cuts.push_back(words);
    m_first = cuts.front();
    for (std::size_t i = 1; i < cuts.size(); ++i) {
        m_firsts.push_back(cuts[i - 1]);
        m_ends.push_back(cuts[i]);
    }
}

std::size_t AdaptiveSoftmax::tailOf(std::size_t word) const
{
    for (std::size_t tail = 0; tail < m_ends.size(); ++tail)
        if (word >= m_firsts[tail] && word < m_ends[tail])
            return tail;
    return m_ends.size();
}

std::vector<double> AdaptiveSoftmax::narrow(const std::vector<double> &x, std::size_t tail) const
{
    const Matrix &weights = m_values[map(tail)];
    std::vector<double> out(weights.size() / x.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
        out[i / x.size()] += weights[i] * x[i % x.size()];
    return out;
}

double AdaptiveSoftmax::logSoftmax(const Matrix &table, const std::vector<double> &x, std::size_t row,
                                   std::vector<double> *distances)
{
    std::vector<double> logits(table.size() / x.size());
    for (std::size_t i = 0; i < table.size(); ++i)
        logits[i / x.size()] += table[i] * x[i % x.size()];
    double sum = 0;
    for (const double logit : logits)
        sum += std::exp(logit - logits[row]);
    if (distances != nullptr) {
        distances->clear();
        for (const double logit : logits)
            distances->push_back(std::exp(logit - logits[row]) / sum);
        (*distances)[row] -= 1;
    }
    return -std::log(sum);
}

double AdaptiveSoftmax::logProbability(const std::vector<double> &x, std::size_t word) const
{
    const std::size_t tail = tailOf(word);
    if (tail == m_ends.size())
        return logSoftmax(m_values.back(), x, word, nullptr);
    return logSoftmax(m_values.back(), x, m_first + tail, nullptr) +
           logSoftmax(m_values[map(tail) + 1], narrow(x, tail), word - m_firsts[tail], nullptr);
}

void AdaptiveSoftmax::addCrossEntropy(const Matrix &table, Matrix &gradient, const std::vector<double> &x, std::size_t row,
                                      double weight, double *ofX)
{
    std::vector<double> distances;
    (void)logSoftmax(table, x, row, &distances);
    for (std::size_t i = 0; i < table.size(); ++i) {
        const double distance = weight * distances[i / x.size()];
        gradient[i] += distance * x[i % x.size()];
        ofX[i % x.size()] += distance * table[i];
    }
}

void AdaptiveSoftmax::addGradients(const std::vector<double> &x, std::size_t word, double weight, double *ofX,
                                   Matrices &gradients) const
{
    const std::size_t tail = tailOf(word);
    const bool isOfHead = tail == m_ends.size();
    addCrossEntropy(m_values.back(), gradients.back(), x, isOfHead ? word : m_first + tail, weight, ofX);
    if (isOfHead)
        return;
    const std::vector<double> row = narrow(x, tail);
    std::vector<double> ofRow(row.size());
    addCrossEntropy(m_values[map(tail) + 1], gradients[map(tail) + 1], row, word - m_firsts[tail], weight, ofRow.data());
    const Matrix &weights = m_values[map(tail)];
    for (std::size_t i = 0; i < weights.size(); ++i) {
        gradients[map(tail)][i] += ofRow[i / x.size()] * x[i % x.size()];
        ofX[i % x.size()] += ofRow[i / x.size()] * weights[i];
    }
}

} // namespace stagelens::runtime::reference
