#include "engine/runtime/reference.h"

#include "engine/model/accounting.h"

#include <algorithm>
#include <cblas.h>
#include <cmath>

namespace stagelens::runtime {
namespace {

using Matrix = std::vector<double>; // row-major

/// The model's tensors by name rather than by place.
struct LayerView {
    const Matrix &norm1Weight, &norm1Bias, &qkvWeight, &qkvBias, &outWeight, &outBias, &norm2Weight, &norm2Bias, &inWeight,
        &inBias, &mlpWeight, &mlpBias;
};
struct LayerGradient {
    Matrix &norm1Weight, &norm1Bias, &qkvWeight, &qkvBias, &outWeight, &outBias, &norm2Weight, &norm2Bias, &inWeight, &inBias,
        &mlpWeight, &mlpBias;
};
template <class View, class Tensors>
View viewOf(Tensors &t, std::size_t layer)
{
    const std::size_t i = 2 + 12 * layer;
    return {t[i],     t[i + 1], t[i + 2], t[i + 3], t[i + 4],  t[i + 5],
            t[i + 6], t[i + 7], t[i + 8], t[i + 9], t[i + 10], t[i + 11]};
}

struct NormKept {
    Matrix normalised;
    std::vector<double> rstd;
};
struct LayerKept {
    NormKept norm1, norm2;
    Matrix normed1, qkv, probabilities, mixed, normed2, inner, activated;
};

/// c (+)= op(a) op(b); sizes of op(a): rows x inner, of op(b): inner x columns.
void product(Matrix &c, const Matrix &a, bool aTransposed, const Matrix &b, bool bTransposed, std::size_t rows,
             std::size_t columns, std::size_t inner, double beta)
{
    cblas_dgemm(CblasRowMajor, aTransposed ? CblasTrans : CblasNoTrans, bTransposed ? CblasTrans : CblasNoTrans,
                static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(inner), 1.0, a.data(),
                static_cast<int>(aTransposed ? rows : inner), b.data(), static_cast<int>(bTransposed ? inner : columns), beta,
                c.data(), static_cast<int>(columns));
}

class Reference {
public:
    Reference(const model::Experiment &experiment, const std::vector<std::vector<float>> &parameters, std::stop_token stop)
        : m_model(experiment.model), m_sequences(size(experiment.parallel.microbatchSize)), m_length(size(m_model.sequence)),
          m_tokens(m_sequences * m_length), m_hidden(size(m_model.hidden)),
          m_weight(1.0 / (static_cast<double>(m_tokens) * experiment.parallel.microbatches)), m_stop(std::move(stop))
    {
        for (const std::vector<float> &tensor : parameters) {
            m_values.emplace_back(tensor.begin(), tensor.end());
            m_gradients.emplace_back(tensor.size());
        }
    }

    /// Adds the microbatch's loss and gradients; ends early, with worthless ones, where the token asks for it.
    void addMicrobatch(std::span<const std::int32_t> inputs, std::span<const std::int32_t> labels)
    {
        Matrix x(m_tokens * m_hidden);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = m_values[0][size(inputs[i / m_hidden]) * m_hidden + i % m_hidden] +
                   m_values[1][(i / m_hidden) % m_length * m_hidden + i % m_hidden];
        const auto layers = size(m_model.layers);
        std::vector<LayerKept> kept(layers);
        for (std::size_t layer = 0; layer < layers && !m_stop.stop_requested(); ++layer)
            forward(x, kept[layer], viewOf<LayerView>(m_values, layer));
        if (m_stop.stop_requested())
            return;
        const std::size_t final = 2 + 12 * layers;
        NormKept norm;
        const Matrix normed = normalise(x, m_values[final], m_values[final + 1], norm);
        Matrix gradient = outputGradient(normed, labels);
        x.assign(x.size(), 0.0);
        normaliseBackward(x, gradient, norm, m_values[final], m_gradients[final], m_gradients[final + 1]);
        for (std::size_t layer = layers; layer-- > 0 && !m_stop.stop_requested();)
            backward(x, kept[layer], viewOf<LayerView>(m_values, layer), viewOf<LayerGradient>(m_gradients, layer));
        for (std::size_t i = 0; i < x.size(); ++i) {
            m_gradients[0][size(inputs[i / m_hidden]) * m_hidden + i % m_hidden] += x[i];
            m_gradients[1][(i / m_hidden) % m_length * m_hidden + i % m_hidden] += x[i];
        }
    }

    [[nodiscard]] ReferenceStep take() && { return {m_loss * m_weight, std::move(m_gradients)}; }

private:
    [[nodiscard]] Matrix linear(const Matrix &x, const Matrix &weight, const Matrix &bias) const
    {
        const std::size_t width = bias.size();
        Matrix y(m_tokens * width);
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] = bias[i % width];
        product(y, x, false, weight, false, m_tokens, width, weight.size() / width, 1.0);
        return y;
    }

    /// Gradient of x; adds those of weight and bias.
    [[nodiscard]] Matrix linearBackward(const Matrix &gradient, const Matrix &x, const Matrix &weight, Matrix &weightGradient,
                                        Matrix &biasGradient) const
    {
        const std::size_t width = biasGradient.size();
        const std::size_t inner = weight.size() / width;
        for (std::size_t i = 0; i < gradient.size(); ++i)
            biasGradient[i % width] += gradient[i];
        product(weightGradient, x, true, gradient, false, inner, width, m_tokens, 1.0);
        Matrix back(m_tokens * inner);
        product(back, gradient, false, weight, true, m_tokens, inner, width, 0.0);
        return back;
    }

    [[nodiscard]] Matrix normalise(const Matrix &x, const Matrix &weight, const Matrix &bias, NormKept &kept) const
    {
        constexpr double kEpsilon = 1e-5;
        kept.normalised.resize(x.size());
        kept.rstd.resize(m_tokens);
        Matrix y(x.size());
        for (std::size_t row = 0; row < m_tokens; ++row) {
            const std::size_t at = row * m_hidden;
            double mean = 0;
            double variance = 0;
            for (std::size_t i = 0; i < m_hidden; ++i)
                mean += x[at + i] / static_cast<double>(m_hidden);
            for (std::size_t i = 0; i < m_hidden; ++i)
                variance += (x[at + i] - mean) * (x[at + i] - mean) / static_cast<double>(m_hidden);
            kept.rstd[row] = 1.0 / std::sqrt(variance + kEpsilon);
            for (std::size_t i = 0; i < m_hidden; ++i) {
                kept.normalised[at + i] = (x[at + i] - mean) * kept.rstd[row];
                y[at + i] = kept.normalised[at + i] * weight[i] + bias[i];
            }
        }
        return y;
    }

    /// Adds the gradient of x to `back`.
    void normaliseBackward(Matrix &back, const Matrix &gradient, const NormKept &kept, const Matrix &weight,
                           Matrix &weightGradient, Matrix &biasGradient) const
    {
        const auto width = static_cast<double>(m_hidden);
        for (std::size_t row = 0; row < m_tokens; ++row) {
            const std::size_t at = row * m_hidden;
            double sum = 0;
            double product = 0;
            for (std::size_t i = 0; i < m_hidden; ++i) {
                const double g = gradient[at + i] * weight[i];
                sum += g / width;
                product += g * kept.normalised[at + i] / width;
                weightGradient[i] += gradient[at + i] * kept.normalised[at + i];
                biasGradient[i] += gradient[at + i];
            }
            for (std::size_t i = 0; i < m_hidden; ++i)
                back[at + i] += kept.rstd[row] * (gradient[at + i] * weight[i] - sum - kept.normalised[at + i] * product);
        }
    }

    /// Offsets of a (sequence, head) in q of the fused matrix, in the mixed values and in the probabilities.
    struct Head {
        std::size_t q, k, v, mixed, probabilities;
    };
    template <class Work>
    void forEachHead(const Work &work) const
    {
        const auto heads = size(m_model.heads);
        for (std::size_t sequence = 0; sequence < m_sequences; ++sequence) {
            for (std::size_t head = 0; head < heads; ++head) {
                const std::size_t column = head * (m_hidden / heads);
                const std::size_t q = sequence * m_length * 3 * m_hidden + column;
                work(Head{q, q + m_hidden, q + 2 * m_hidden, sequence * m_length * m_hidden + column,
                          (sequence * heads + head) * m_length * m_length});
            }
        }
    }
    [[nodiscard]] std::size_t headSize() const { return m_hidden / size(m_model.heads); }
    [[nodiscard]] double scoreScale() const { return 1.0 / std::sqrt(static_cast<double>(headSize())); }

    [[nodiscard]] Matrix attend(const Matrix &qkv, Matrix &probabilities) const
    {
        probabilities.assign(m_sequences * size(m_model.heads) * m_length * m_length, 0.0);
        Matrix mixed(m_tokens * m_hidden);
        forEachHead([&](const Head &head) {
            for (std::size_t i = 0; i < m_length; ++i) {
                double *row = &probabilities[head.probabilities + i * m_length];
                for (std::size_t j = 0; j <= i; ++j)
                    for (std::size_t d = 0; d < headSize(); ++d)
                        row[j] += scoreScale() * qkv[head.q + i * 3 * m_hidden + d] * qkv[head.k + j * 3 * m_hidden + d];
                const double top = *std::max_element(row, row + i + 1);
                double sum = 0;
                for (std::size_t j = 0; j <= i; ++j)
                    sum += row[j] = std::exp(row[j] - top);
                for (std::size_t j = 0; j <= i; ++j) {
                    row[j] /= sum;
                    for (std::size_t d = 0; d < headSize(); ++d)
                        mixed[head.mixed + i * m_hidden + d] += row[j] * qkv[head.v + j * 3 * m_hidden + d];
                }
            }
        });
        return mixed;
    }

    [[nodiscard]] Matrix attendBackward(const Matrix &gradient, const Matrix &qkv, const Matrix &probabilities) const
    {
        Matrix back(qkv.size());
        std::vector<double> slope(m_length);
        forEachHead([&](const Head &head) {
            for (std::size_t i = 0; i < m_length; ++i) {
                const double *row = &probabilities[head.probabilities + i * m_length];
                const double *out = &gradient[head.mixed + i * m_hidden];
                double mean = 0;
                for (std::size_t j = 0; j <= i; ++j) {
                    slope[j] = 0;
                    for (std::size_t d = 0; d < headSize(); ++d) {
                        slope[j] += out[d] * qkv[head.v + j * 3 * m_hidden + d];
                        back[head.v + j * 3 * m_hidden + d] += row[j] * out[d];
                    }
                    mean += row[j] * slope[j];
                }
                for (std::size_t j = 0; j <= i; ++j) {
                    const double score = row[j] * (slope[j] - mean) * scoreScale();
                    for (std::size_t d = 0; d < headSize(); ++d) {
                        back[head.q + i * 3 * m_hidden + d] += score * qkv[head.k + j * 3 * m_hidden + d];
                        back[head.k + j * 3 * m_hidden + d] += score * qkv[head.q + i * 3 * m_hidden + d];
                    }
                }
            }
        });
        return back;
    }

    static double geluSlope(double x)
    {
        const double scale = std::sqrt(2.0 / 3.14159265358979323846);
        const double t = std::tanh(scale * (x + 0.044715 * x * x * x));
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x);
    }
    static double gelu(double x)
    {
        const double scale = std::sqrt(2.0 / 3.14159265358979323846);
        return 0.5 * x * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
    }

    void forward(Matrix &x, LayerKept &kept, const LayerView &layer) const
    {
        kept.normed1 = normalise(x, layer.norm1Weight, layer.norm1Bias, kept.norm1);
        kept.qkv = linear(kept.normed1, layer.qkvWeight, layer.qkvBias);
        kept.mixed = attend(kept.qkv, kept.probabilities);
        addTo(x, linear(kept.mixed, layer.outWeight, layer.outBias));
        kept.normed2 = normalise(x, layer.norm2Weight, layer.norm2Bias, kept.norm2);
        kept.inner = linear(kept.normed2, layer.inWeight, layer.inBias);
        kept.activated.resize(kept.inner.size());
        std::transform(kept.inner.begin(), kept.inner.end(), kept.activated.begin(), gelu);
        addTo(x, linear(kept.activated, layer.mlpWeight, layer.mlpBias));
    }

    void backward(Matrix &gradient, const LayerKept &kept, const LayerView &layer, const LayerGradient &out) const
    {
        Matrix inner = linearBackward(gradient, kept.activated, layer.mlpWeight, out.mlpWeight, out.mlpBias);
        for (std::size_t i = 0; i < inner.size(); ++i)
            inner[i] *= geluSlope(kept.inner[i]);
        const Matrix normed2 = linearBackward(inner, kept.normed2, layer.inWeight, out.inWeight, out.inBias);
        normaliseBackward(gradient, normed2, kept.norm2, layer.norm2Weight, out.norm2Weight, out.norm2Bias);
        const Matrix mixed = linearBackward(gradient, kept.mixed, layer.outWeight, out.outWeight, out.outBias);
        const Matrix qkv = attendBackward(mixed, kept.qkv, kept.probabilities);
        const Matrix normed1 = linearBackward(qkv, kept.normed1, layer.qkvWeight, out.qkvWeight, out.qkvBias);
        normaliseBackward(gradient, normed1, kept.norm1, layer.norm1Weight, out.norm1Weight, out.norm1Bias);
    }

    /// Cross-entropy over the whole vocabulary: adds the loss and the projection's gradient, answers that of its input.
    [[nodiscard]] Matrix outputGradient(const Matrix &x, std::span<const std::int32_t> labels)
    {
        const auto vocabulary = size(m_model.vocabularySize);
        const std::size_t place = m_model.tied ? 0 : m_values.size() - 1;
        Matrix logits(m_tokens * vocabulary);
        product(logits, x, false, m_values[place], true, m_tokens, vocabulary, m_hidden, 0.0);
        for (std::size_t row = 0; row < m_tokens; ++row) {
            double *values = &logits[row * vocabulary];
            const double top = *std::max_element(values, values + vocabulary);
            double sum = 0;
            for (std::size_t i = 0; i < vocabulary; ++i)
                sum += std::exp(values[i] - top);
            m_loss += std::log(sum) + top - values[labels[row]];
            for (std::size_t i = 0; i < vocabulary; ++i)
                values[i] = std::exp(values[i] - top) / sum * m_weight;
            values[labels[row]] -= m_weight;
        }
        product(m_gradients[place], logits, true, x, false, vocabulary, m_hidden, m_tokens, 1.0);
        Matrix back(x.size());
        product(back, logits, false, m_values[place], false, m_tokens, m_hidden, vocabulary, 0.0);
        return back;
    }

    static void addTo(Matrix &to, const Matrix &from)
    {
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i] += from[i];
    }

    const model::ModelConfig &m_model;
    std::size_t m_sequences;
    std::size_t m_length;
    std::size_t m_tokens;
    std::size_t m_hidden;
    double m_weight; ///< of a token's loss
    std::stop_token m_stop;
    double m_loss = 0;
    std::vector<Matrix> m_values;
    std::vector<Matrix> m_gradients;
};

} // namespace

base::Result<ReferenceStep> referenceStep(const model::Experiment &experiment,
                                          const std::vector<std::vector<float>> &parameters, const Batch &batch,
                                          std::stop_token stop)
{
    Reference reference(experiment, parameters, stop);
    for (int microbatch = 0; microbatch < experiment.parallel.microbatches; ++microbatch) {
        reference.addMicrobatch(batch.inputs(microbatch), batch.labels(microbatch));
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
    reference.addMicrobatch(batch.inputs(microbatch), batch.labels(microbatch));
    if (stop.stop_requested())
        return base::Error::cancelled();
    return std::move(reference).take();
}

base::Bytes referenceBytes(const model::Experiment &experiment)
{
    const model::ModelConfig &model = experiment.model;
    const double tokens = static_cast<double>(experiment.parallel.microbatchSize) * model.sequence;
    const double layer = tokens * (10.0 * model.hidden + 2.0 * model.ffn + static_cast<double>(model.heads) * model.sequence);
    // Values and gradients in double, and the fp32 copies that go in and are compared.
    const double parameters = 3.0 * static_cast<double>(model::totalParameters(model));
    constexpr double kMostBytes = 9e18;
    const double doubles = parameters + model.layers * layer + tokens * model.vocabularySize;
    return static_cast<base::Bytes>(std::min(doubles * sizeof(double), kMostBytes / 2));
}

} // namespace stagelens::runtime
