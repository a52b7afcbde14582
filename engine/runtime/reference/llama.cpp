// Llama in float64.
#include "engine/runtime/reference/family.h"

#include <cmath>
#include <complex>
#include <optional>

namespace stagelens::runtime::reference {
namespace {

constexpr std::size_t kFirstLayer = 1;
/// Of attention; then follow the MLP (gate, up, down, or those of experts) and the two norms.
enum Part : std::size_t { kQuery, kKey, kValue, kOut, kMlp };
constexpr std::size_t kGate = kMlp;
constexpr std::size_t kUp = kMlp + 1;
constexpr std::size_t kDown = kMlp + 2;
constexpr std::size_t kDenseParameters = 3;
constexpr std::size_t kNorms = 2;

struct NormKept {
    Matrix input;
    std::vector<double> rms; ///< root of the mean square, epsilon included
};
struct LayerKept {
    NormKept norm1, norm2;
    Matrix normed1, qkv, probabilities, mixed, normed2, gate, up, activated;
};

double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

class Llama : public Family {
public:
    Llama(const model::ModelConfig &model, std::size_t sequences, double microbatchWeight, const std::vector<int> &slices)
        : m_attention(model, sequences), m_hidden(static_cast<std::size_t>(model.hidden)),
          m_layers(static_cast<std::size_t>(model.layers)), m_epsilon(model.rmsNormEpsilon), m_kept(m_layers)
    {
        for (std::size_t i = 0; i < m_attention.size / 2; ++i)
            m_speeds.push_back(speedOf(i, model));
        std::size_t next = kFirstLayer;
        for (std::size_t layer = 0; layer < m_layers; ++layer) {
            m_firsts.push_back(next);
            std::size_t parameters = kDenseParameters;
            std::optional<Experts> &experts = m_experts.emplace_back();
            if (model.hasExpertsAt(static_cast<int>(layer))) {
                experts.emplace(model, microbatchWeight, slices);
                parameters = Experts::parameters(model);
            }
            next += kMlp + parameters + kNorms;
        }
        m_firsts.push_back(next);
    }

    void forward(Matrix &x, std::size_t layer, const Matrices &values) override
    {
        LayerKept &kept = m_kept[layer];
        const std::size_t at = m_firsts[layer];
        const std::size_t norm1 = m_firsts[layer + 1] - kNorms;
        const std::size_t norm2 = norm1 + 1;
        kept.normed1 = normalise(x, values[norm1], kept.norm1);
        kept.qkv.assign(m_attention.tokens() * m_attention.rowWidth(), 0.0);
        for (const Part part : {kQuery, kKey, kValue})
            copyColumns(kept.qkv, linear(kept.normed1, values[at + part]), part);
        turn(kept.qkv, 1);
        kept.mixed = m_attention.forward(kept.qkv, kept.probabilities);
        addTo(x, linear(kept.mixed, values[at + kOut]));
        kept.normed2 = normalise(x, values[norm2], kept.norm2);
        addTo(x, !m_experts[layer] ? mlp(kept, values, at) : m_experts[layer]->forward(kept.normed2, &values[at + kMlp]));
    }

    void backward(Matrix &gradient, std::size_t layer, const Matrices &values, Matrices &gradients) override
    {
        const LayerKept &kept = m_kept[layer];
        const std::size_t at = m_firsts[layer];
        const std::size_t norm1 = m_firsts[layer + 1] - kNorms;
        const std::size_t norm2 = norm1 + 1;
        const Matrix normed2 = !m_experts[layer]
                                   ? mlpBackward(gradient, kept, values, gradients, at)
                                   : m_experts[layer]->backward(gradient, &values[at + kMlp], &gradients[at + kMlp]);
        normaliseBackward(gradient, normed2, kept.norm2, values[norm2], gradients[norm2]);
        const Matrix mixed = linearBackward(gradient, kept.mixed, values[at + kOut], gradients[at + kOut]);
        Matrix qkv = m_attention.backward(mixed, kept.qkv, kept.probabilities);
        turn(qkv, -1);
        Matrix normed1(kept.normed1.size());
        for (const Part part : {kQuery, kKey, kValue})
            addTo(normed1, linearBackward(columns(qkv, part), kept.normed1, values[at + part], gradients[at + part]));
        normaliseBackward(gradient, normed1, kept.norm1, values[norm1], gradients[norm1]);
    }

    [[nodiscard]] Matrix normalise(const Matrix &x, const Matrices &values) override
    {
        return normalise(x, values[m_firsts.back()], m_finalNorm);
    }
    [[nodiscard]] Matrix normaliseBackward(const Matrix &gradient, const Matrices &values, Matrices &gradients) override
    {
        const std::size_t at = m_firsts.back();
        Matrix back(gradient.size());
        normaliseBackward(back, gradient, m_finalNorm, values[at], gradients[at]);
        return back;
    }

private:
    [[nodiscard]] Matrix mlp(LayerKept &kept, const Matrices &values, std::size_t at) const
    {
        kept.gate = linear(kept.normed2, values[at + kGate]);
        kept.up = linear(kept.normed2, values[at + kUp]);
        kept.activated.resize(kept.up.size());
        for (std::size_t i = 0; i < kept.up.size(); ++i)
            kept.activated[i] = kept.gate[i] * sigmoid(kept.gate[i]) * kept.up[i];
        return linear(kept.activated, values[at + kDown]);
    }
    [[nodiscard]] Matrix mlpBackward(const Matrix &gradient, const LayerKept &kept, const Matrices &values, Matrices &gradients,
                                     std::size_t at) const
    {
        const Matrix activated = linearBackward(gradient, kept.activated, values[at + kDown], gradients[at + kDown]);
        Matrix gate(activated.size());
        Matrix up(activated.size());
        for (std::size_t i = 0; i < activated.size(); ++i) {
            const double open = sigmoid(kept.gate[i]);
            gate[i] = activated[i] * kept.up[i] * (open + kept.gate[i] * open * (1 - open));
            up[i] = activated[i] * kept.gate[i] * open;
        }
        Matrix normed2 = linearBackward(gate, kept.normed2, values[at + kGate], gradients[at + kGate]);
        addTo(normed2, linearBackward(up, kept.normed2, values[at + kUp], gradients[at + kUp]));
        return normed2;
    }

    /// Returns x W^T with W [out, in].
    [[nodiscard]] Matrix linear(const Matrix &x, const Matrix &weight) const
    {
        const std::size_t inner = x.size() / m_attention.tokens();
        Matrix y(m_attention.tokens() * weight.size() / inner);
        product(y, x, false, weight, true, m_attention.tokens(), weight.size() / inner, inner, 0.0);
        return y;
    }
    [[nodiscard]] Matrix linearBackward(const Matrix &gradient, const Matrix &x, const Matrix &weight,
                                        Matrix &weightGradient) const
    {
        const std::size_t tokens = m_attention.tokens();
        const std::size_t inner = x.size() / tokens;
        const std::size_t width = weight.size() / inner;
        product(weightGradient, gradient, true, x, false, width, inner, tokens, 1.0);
        Matrix back(x.size());
        product(back, gradient, false, weight, false, tokens, inner, width, 0.0);
        return back;
    }

    /// Returns the first column and the width of queries, keys or values in the fused rows.
    [[nodiscard]] std::pair<std::size_t, std::size_t> placeOf(Part part) const
    {
        const std::size_t keyValue = m_attention.kvHeads * m_attention.size;
        if (part == kQuery)
            return {0, m_attention.width()};
        return {m_attention.width() + (part == kValue ? keyValue : 0), keyValue};
    }
    void copyColumns(Matrix &rows, const Matrix &part, Part which) const
    {
        const auto [first, width] = placeOf(which);
        for (std::size_t i = 0; i < part.size(); ++i)
            rows[i / width * m_attention.rowWidth() + first + i % width] = part[i];
    }
    [[nodiscard]] Matrix columns(const Matrix &rows, Part which) const
    {
        const auto [first, width] = placeOf(which);
        Matrix part(m_attention.tokens() * width);
        for (std::size_t i = 0; i < part.size(); ++i)
            part[i] = rows[i / width * m_attention.rowWidth() + first + i % width];
        return part;
    }

    /// Returns the angle by which a pair rotates per position. Scaled positions follow _compute_llama3_parameters of
    /// transformers: by the wavelength, which is the number of positions of a full turn.
    [[nodiscard]] double speedOf(std::size_t pair, const model::ModelConfig &model) const
    {
        const double speed =
            std::pow(model.ropeTheta, -2.0 * static_cast<double>(pair) / static_cast<double>(m_attention.size));
        if (!model.ropeScaling)
            return speed;
        const model::RopeScaling &scaling = *model.ropeScaling;
        const double original = scaling.originalSequence;
        const double wavelength = 2 * std::acos(-1.0) / speed;
        if (wavelength > original / scaling.lowFrequencyFactor)
            return speed / scaling.factor;
        if (wavelength < original / scaling.highFrequencyFactor)
            return speed;
        const double smooth =
            (original / wavelength - scaling.lowFrequencyFactor) / (scaling.highFrequencyFactor - scaling.lowFrequencyFactor);
        return (1 - smooth) * speed / scaling.factor + smooth * speed;
    }

    /// Multiplies every pair of queries and keys, as a complex number, with e^(i angle) of its position.
    void turn(Matrix &qkv, double direction) const
    {
        const std::size_t size = m_attention.size;
        for (std::size_t token = 0; token < m_attention.tokens(); ++token) {
            for (std::size_t head = 0; head < m_attention.heads + m_attention.kvHeads; ++head) {
                double *x = &qkv[token * m_attention.rowWidth() + head * size];
                for (std::size_t i = 0; i < size / 2; ++i) {
                    const double angle = direction * static_cast<double>(token % m_attention.length) * m_speeds[i];
                    const auto turned = std::complex<double>(x[i], x[i + size / 2]) * std::polar(1.0, angle);
                    x[i] = turned.real();
                    x[i + size / 2] = turned.imag();
                }
            }
        }
    }

    [[nodiscard]] Matrix normalise(const Matrix &x, const Matrix &weight, NormKept &kept) const
    {
        kept.input = x;
        kept.rms.assign(x.size() / m_hidden, m_epsilon);
        for (std::size_t i = 0; i < x.size(); ++i)
            kept.rms[i / m_hidden] += x[i] * x[i] / static_cast<double>(m_hidden);
        for (double &rms : kept.rms)
            rms = std::sqrt(rms);
        Matrix y(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            y[i] = x[i] / kept.rms[i / m_hidden] * weight[i % m_hidden];
        return y;
    }
    /// Adds the gradient of x to `back`: with y = x / r, dx = (g - x (g . x) / (h r^2)) / r.
    void normaliseBackward(Matrix &back, const Matrix &gradient, const NormKept &kept, const Matrix &weight,
                           Matrix &weightGradient) const
    {
        std::vector<double> along(kept.rms.size());
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            const double rms = kept.rms[i / m_hidden];
            weightGradient[i % m_hidden] += gradient[i] * kept.input[i] / rms;
            along[i / m_hidden] +=
                gradient[i] * weight[i % m_hidden] * kept.input[i] / (static_cast<double>(m_hidden) * rms * rms);
        }
        for (std::size_t i = 0; i < gradient.size(); ++i)
            back[i] += (gradient[i] * weight[i % m_hidden] - kept.input[i] * along[i / m_hidden]) / kept.rms[i / m_hidden];
    }

    Attention m_attention;
    std::size_t m_hidden;
    std::size_t m_layers;
    double m_epsilon;
    std::vector<double> m_speeds; ///< angle per position of each pair of a head
    std::vector<LayerKept> m_kept;
    std::vector<std::optional<Experts>> m_experts; ///< of each layer; nothing: a dense MLP
    std::vector<std::size_t> m_firsts;             ///< first parameter of each layer, and that after the last
    NormKept m_finalNorm;
};

} // namespace

std::unique_ptr<Family> makeLlama(const model::ModelConfig &model, std::size_t sequences, double microbatchWeight,
                                  const std::vector<int> &slices)
{
    return std::make_unique<Llama>(model, sequences, microbatchWeight, slices);
}

} // namespace stagelens::runtime::reference
