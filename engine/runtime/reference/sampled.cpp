#include "engine/runtime/reference/sampled.h"

#include "engine/operators/word_sample.h"

#include <cmath>

namespace stagelens::runtime::reference {

double lossOfFirst(const std::vector<CorrectedLogit> &logits)
{
    double sum = 0;
    for (const CorrectedLogit &each : logits)
        sum += std::exp(each.value - logits.front().value);
    return std::log(sum);
}

SampledSoftmax::SampledSoftmax(const model::ModelConfig &model, std::uint64_t seed, std::int64_t number)
{
    const operators::WordSample sample(model.vocabularySize, model.sampledWords.value_or(0));
    for (const std::int32_t word : sample.draw(seed, number))
        m_words.push_back(static_cast<std::size_t>(word));
    for (int word = 0; word < model.vocabularySize; ++word)
        m_counts.push_back(sample.expectedCount(word));
}

double SampledSoftmax::addGradients(const Tokens &tokens, Matrix &ofTable, Matrix &ofX) const
{
    const std::size_t width = tokens.x.size() / tokens.labels.size();
    double loss = 0;
    for (std::size_t token = 0; token < tokens.labels.size(); ++token) {
        const double *const x = &tokens.x[token * width];
        const auto corrected = [&](std::size_t word) {
            double logit = 0;
            for (std::size_t i = 0; i < width; ++i)
                logit += x[i] * tokens.table[word * width + i];
            return CorrectedLogit{word, logit - std::log(m_counts[word])};
        };
        const auto label = static_cast<std::size_t>(tokens.labels[token]);
        std::vector<CorrectedLogit> logits{corrected(label)};
        for (const std::size_t word : m_words)
            if (word != label)
                logits.push_back(corrected(word));
        const double ofToken = lossOfFirst(logits);
        loss += ofToken;
        for (const CorrectedLogit &each : logits) {
            const double probability = std::exp(each.value - logits.front().value - ofToken);
            const double gradient = tokens.weight * (probability - (each.word == label ? 1 : 0));
            for (std::size_t i = 0; i < width; ++i) {
                ofTable[each.word * width + i] += gradient * x[i];
                ofX[token * width + i] += gradient * tokens.table[each.word * width + i];
            }
        }
    }
    return loss;
}

} // namespace stagelens::runtime::reference
