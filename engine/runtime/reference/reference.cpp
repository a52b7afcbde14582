#include "engine/runtime/reference/reference.h"

#include "engine/operators/sizes.h"
#include "engine/operators/slices.h"
#include "engine/runtime/reference/adaptive.h"
#include "engine/runtime/reference/family.h"
#include "engine/runtime/reference/sampled.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime {
namespace {

using reference::Matrices;
using reference::Matrix;
using reference::product;

class Reference {
public:
    Reference(const model::Experiment &experiment, const std::vector<std::vector<float>> &parameters, std::stop_token stop)
        : m_model(experiment.model), m_sequences(size(experiment.parallel.microbatchSize)), m_hidden(size(m_model.hidden)),
          m_width(size(m_model.tableWidth())), m_heads(size(m_model.outputHeads)), m_length(size(m_model.sequence)),
          m_microbatchWeight(1.0 / static_cast<double>(experiment.parallel.stepMicrobatches())),
          m_weight(m_microbatchWeight / countLabels()), m_slices(operators::sliceLengths(experiment)),
          m_seed(experiment.training.seed), m_stop(std::move(stop))
    {
        for (const std::vector<float> &tensor : parameters) {
            m_values.emplace_back(tensor.begin(), tensor.end());
            m_gradients.emplace_back(tensor.size());
        }
    }

    /// Adds loss and gradients of the microbatch. Returns early after a stop; the results are then undefined.
    void addMicrobatch(const Batch &batch, int microbatch)
    {
        const std::span<const std::int32_t> inputs = batch.inputs(microbatch);
        const std::span<const std::int32_t> labels = batch.labels(microbatch);
        m_number = batch.number(microbatch);
        const auto family = m_model.family == model::ModelFamily::Llama
                                ? reference::makeLlama(m_model, m_sequences, m_microbatchWeight, m_slices)
                                : reference::makeGpt(m_model, m_sequences);
        Matrix rows(inputs.size() * m_width);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (const std::size_t row : rowsOf(inputs[i / m_width]))
                rows[i] += m_values[0][row * m_width + i % m_width];
        Matrix x = m_model.isFactorised() ? timesMap(rows, inputMap()) : rows;
        family->addPositions(x, m_values);
        const auto layers = size(m_model.layers);
        for (std::size_t layer = 0; layer < layers && !m_stop.stop_requested(); ++layer)
            family->forward(x, layer, m_values);
        if (m_stop.stop_requested())
            return;
        const Matrix normed = family->normalise(x, m_values);
        Matrix gradient = family->normaliseBackward(headGradient(normed, labels), m_values, m_gradients);
        for (std::size_t layer = layers; layer-- > 0 && !m_stop.stop_requested();)
            family->backward(gradient, layer, m_values, m_gradients);
        family->addPositionGradients(gradient, m_gradients);
        if (m_model.isFactorised())
            gradient = backThroughMap(rows, gradient, inputMap());
        for (std::size_t i = 0; i < gradient.size(); ++i)
            for (const std::size_t row : rowsOf(inputs[i / m_width]))
                m_gradients[0][row * m_width + i % m_width] += gradient[i];
    }

    [[nodiscard]] ReferenceStep take() && { return {m_loss * m_weight, std::move(m_gradients)}; }

private:
    static constexpr std::int32_t kNoLabel = -1;

    /// Returns the rows of the input table that add up to the embedding of a token: its own, or one for each digit of its id.
    [[nodiscard]] std::vector<std::size_t> rowsOf(std::int32_t id) const
    {
        if (!m_model.isHashed())
            return {size(id)};
        const std::size_t base = m_values[0].size() / m_width / size(m_model.inputHashes);
        std::vector<std::size_t> rows;
        for (std::size_t rest = size(id); rows.size() < size(m_model.inputHashes); rest /= base)
            rows.push_back(rows.size() * base + rest % base);
        return rows;
    }

    // The maps of a factorised vocabulary precede the output projection, and are the last parameters of a tied model.
    [[nodiscard]] std::size_t outputMap() const { return m_values.size() - (m_model.tied ? 1 : 2); }
    [[nodiscard]] std::size_t inputMap() const { return outputMap() - 1; }

    /// Returns rows [tokens, E] times the map [E, h].
    [[nodiscard]] Matrix timesMap(const Matrix &rows, std::size_t map) const
    {
        Matrix wide(rows.size() / m_width * m_hidden);
        product(wide, rows, false, m_values[map], false, rows.size() / m_width, m_hidden, m_width, 0.0);
        return wide;
    }

    /// Adds the gradient of the map, and returns that of the rows from the gradient of their product.
    [[nodiscard]] Matrix backThroughMap(const Matrix &rows, const Matrix &gradient, std::size_t map)
    {
        const std::size_t tokens = rows.size() / m_width;
        product(m_gradients[map], rows, true, gradient, false, m_width, m_hidden, tokens, 1.0);
        Matrix back(rows.size());
        product(back, gradient, false, m_values[map], true, tokens, m_width, m_hidden, 0.0);
        return back;
    }

    /// Returns the labels of a microbatch: head j has none where the sequence ends before.
    [[nodiscard]] double countLabels() const
    {
        double labels = 0;
        for (std::size_t position = 0; position < m_length; ++position)
            for (std::size_t head = 0; head < m_heads; ++head)
                labels += position + head < m_length ? static_cast<double>(m_sequences) : 0;
        return labels;
    }

    /// Returns the labels of a head from the next tokens; kNoLabel where the sequence ends before.
    [[nodiscard]] std::vector<std::int32_t> labelsOf(std::size_t head, std::span<const std::int32_t> next) const
    {
        std::vector<std::int32_t> labels(next.size(), kNoLabel);
        for (std::size_t i = 0; i < next.size(); ++i)
            if (i % m_length + head < m_length)
                labels[i] = next[i + head];
        return labels;
    }

    /// Returns the gradient of the output of the final norm. A factorised projection U R is a product with R before that with
    /// U, and each of several heads has its own R.
    [[nodiscard]] Matrix headGradient(const Matrix &normed, std::span<const std::int32_t> next)
    {
        if (m_model.isAdaptive())
            return adaptiveGradient(normed, next);
        if (!m_model.mapsOutput())
            return outputGradient(normed, next);
        const std::size_t tokens = next.size();
        const std::size_t count = m_width * m_hidden; // of the map of a head
        Matrix sum(normed.size());
        for (std::size_t head = 0; head < m_heads; ++head) {
            const auto first = m_values[outputMap()].begin() + static_cast<std::ptrdiff_t>(head * count);
            const Matrix map(first, first + static_cast<std::ptrdiff_t>(count));
            Matrix narrow(tokens * m_width);
            product(narrow, normed, false, map, true, tokens, m_width, m_hidden, 0.0);
            const Matrix gradient = outputGradient(narrow, labelsOf(head, next));
            Matrix ofMap(count);
            product(ofMap, gradient, true, normed, false, m_width, m_hidden, tokens, 0.0);
            for (std::size_t i = 0; i < count; ++i)
                m_gradients[outputMap()][head * count + i] += ofMap[i];
            product(sum, gradient, false, map, false, tokens, m_hidden, m_width, 1.0);
        }
        return sum;
    }

    /// Adds loss and gradients of an adaptive softmax, and returns the gradient of its input.
    [[nodiscard]] Matrix adaptiveGradient(const Matrix &normed, std::span<const std::int32_t> labels)
    {
        const reference::AdaptiveSoftmax softmax(m_model, m_values);
        Matrix back(normed.size());
        for (std::size_t token = 0; token < labels.size(); ++token) {
            const auto first = normed.begin() + static_cast<std::ptrdiff_t>(token * m_hidden);
            const std::vector<double> x(first, first + static_cast<std::ptrdiff_t>(m_hidden));
            m_loss -= softmax.logProbability(x, size(labels[token]));
            softmax.addGradients(x, size(labels[token]), m_weight, &back[token * m_hidden], m_gradients);
        }
        return back;
    }

    /// Computes the cross-entropy over the whole vocabulary: adds the loss and the gradient of the projection, and returns the
    /// gradient of its input.
    [[nodiscard]] Matrix outputGradient(const Matrix &x, std::span<const std::int32_t> labels)
    {
        const std::size_t tokens = labels.size();
        const auto vocabulary = size(m_model.vocabularySize);
        const std::size_t place = m_model.tied ? 0 : m_values.size() - 1;
        if (m_model.isSampled()) {
            const reference::SampledSoftmax softmax(m_model, m_seed, m_number);
            Matrix back(x.size());
            m_loss += softmax.addGradients({x, m_values[place], labels, m_weight}, m_gradients[place], back);
            return back;
        }
        Matrix logits(tokens * vocabulary);
        product(logits, x, false, m_values[place], true, tokens, vocabulary, m_width, 0.0);
        for (std::size_t row = 0; row < tokens; ++row) {
            double *values = &logits[row * vocabulary];
            if (labels[row] == kNoLabel) {
                std::fill(values, values + vocabulary, 0.0);
                continue;
            }
            const double top = *std::max_element(values, values + vocabulary);
            double sum = 0;
            for (std::size_t i = 0; i < vocabulary; ++i)
                sum += std::exp(values[i] - top);
            m_loss += std::log(sum) + top - values[labels[row]];
            for (std::size_t i = 0; i < vocabulary; ++i)
                values[i] = std::exp(values[i] - top) / sum * m_weight;
            values[labels[row]] -= m_weight;
        }
        product(m_gradients[place], logits, true, x, false, vocabulary, m_width, tokens, 1.0);
        Matrix back(x.size());
        product(back, logits, false, m_values[place], false, tokens, m_width, vocabulary, 0.0);
        return back;
    }

    const model::ModelConfig &m_model;
    std::size_t m_sequences;
    std::size_t m_hidden;
    std::size_t m_width; ///< of the token tables
    std::size_t m_heads;
    std::size_t m_length;      ///< tokens of a sequence
    double m_microbatchWeight; ///< of a microbatch in the loss
    double m_weight;           ///< of a label
    std::vector<int> m_slices; ///< tokens of each slice of a sequence
    std::uint64_t m_seed;
    std::int64_t m_number = 0; ///< of the microbatch at hand, among those of all steps
    std::stop_token m_stop;
    double m_loss = 0;
    Matrices m_values;
    Matrices m_gradients;
};

} // namespace

base::Result<ReferenceStep> referenceStep(const model::Experiment &experiment,
                                          const std::vector<std::vector<float>> &parameters, const Batch &batch,
                                          std::stop_token stop, int step)
{
    Reference reference(experiment, parameters, stop);
    const auto ofStep = static_cast<int>(experiment.parallel.stepMicrobatches());
    for (int microbatch = step * ofStep; microbatch < (step + 1) * ofStep; ++microbatch) {
        reference.addMicrobatch(batch, microbatch);
        if (stop.stop_requested())
            return base::Error::cancelled();
    }
    return std::move(reference).take();
}

base::Result<ReferenceStep> referenceReplica(const model::Experiment &experiment,
                                             const std::vector<std::vector<float>> &parameters, const Batch &batch, int replica,
                                             std::stop_token stop)
{
    model::Experiment alone = experiment;
    alone.parallel.replicas = 1;
    Reference reference(alone, parameters, stop);
    for (int i = 0; i < experiment.parallel.microbatches; ++i) {
        const int microbatch = i * experiment.parallel.replicas + replica;
        reference.addMicrobatch(batch, microbatch);
        if (stop.stop_requested())
            return base::Error::cancelled();
    }
    return std::move(reference).take();
}

base::Result<ReferenceStep> referenceMicrobatch(const model::Experiment &experiment,
                                                const std::vector<std::vector<float>> &parameters, const Batch &batch,
                                                int microbatch, std::stop_token stop)
{
    Reference reference(experiment, parameters, stop);
    reference.addMicrobatch(batch, microbatch);
    if (stop.stop_requested())
        return base::Error::cancelled();
    return std::move(reference).take();
}

base::Bytes referenceBytes(const model::Experiment &experiment)
{
    const model::ModelConfig &model = experiment.model;
    const double tokens = static_cast<double>(experiment.parallel.microbatchSize) * model.sequence;
    // The reference computes every expert of every token.
    const double experts =
        model.hasExperts()
            ? (model.experts + model.sharedExperts) * (3.0 * model.expertWidth() + model.hidden + 2.0) + model.hidden
            : 0;
    const double layer =
        tokens * (5.0 * model.hidden + 5.0 * static_cast<double>(std::max<std::int64_t>(model.hidden, model.queryWidth())) +
                  3.0 * model.ffn + experts + static_cast<double>(model.heads) * model.sequence);
    // Values and gradients in double, and their fp32 copies.
    const double parameters = 3.0 * static_cast<double>(operators::totalParameters(model));
    constexpr double kMostBytes = 9e18;
    const double doubles = parameters + model.layers * layer + tokens * model.vocabularySize;
    return static_cast<base::Bytes>(std::min(doubles * sizeof(double), kMostBytes / 2));
}

} // namespace stagelens::runtime
