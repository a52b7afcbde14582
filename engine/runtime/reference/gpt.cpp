// GPT-2 in float64.
#include "engine/runtime/reference/family.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime::reference {
namespace {

constexpr std::size_t kFirstLayer = 2;
constexpr std::size_t kPerLayer = 12;
/// Indices of the weights of a layer; the bias of each follows it.
enum Part : std::size_t { kNorm1 = 0, kQkv = 2, kOut = 4, kNorm2 = 6, kInner = 8, kMlp = 10 };

struct NormKept {
    Matrix normalised;
    std::vector<double> rstd;
};
struct LayerKept {
    NormKept norm1, norm2;
    Matrix normed1, qkv, probabilities, mixed, normed2, inner, activated;
};

double gelu(double x)
{
    const double scale = std::sqrt(2.0 / 3.14159265358979323846);
    return 0.5 * x * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
}
double geluSlope(double x)
{
    const double scale = std::sqrt(2.0 / 3.14159265358979323846);
    const double t = std::tanh(scale * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x);
}

class Gpt : public Family {
public:
    Gpt(const model::ModelConfig &model, std::size_t sequences)
        : m_attention(model, sequences), m_hidden(static_cast<std::size_t>(model.hidden)),
          m_layers(static_cast<std::size_t>(model.layers)), m_kept(m_layers)
    {}

    void addPositions(Matrix &x, const Matrices &values) const override
    {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] += values[1][i % values[1].size()];
    }
    void addPositionGradients(const Matrix &gradient, Matrices &gradients) const override
    {
        for (std::size_t i = 0; i < gradient.size(); ++i)
            gradients[1][i % gradients[1].size()] += gradient[i];
    }

    void forward(Matrix &x, std::size_t layer, const Matrices &values) override
    {
        LayerKept &kept = m_kept[layer];
        const std::size_t at = kFirstLayer + layer * kPerLayer;
        kept.normed1 = normalise(x, values, at + kNorm1, kept.norm1);
        kept.qkv = linear(kept.normed1, values, at + kQkv);
        kept.mixed = m_attention.forward(kept.qkv, kept.probabilities);
        addTo(x, linear(kept.mixed, values, at + kOut));
        kept.normed2 = normalise(x, values, at + kNorm2, kept.norm2);
        kept.inner = linear(kept.normed2, values, at + kInner);
        kept.activated.resize(kept.inner.size());
        std::transform(kept.inner.begin(), kept.inner.end(), kept.activated.begin(), gelu);
        addTo(x, linear(kept.activated, values, at + kMlp));
    }

    void backward(Matrix &gradient, std::size_t layer, const Matrices &values, Matrices &gradients) override
    {
        const LayerKept &kept = m_kept[layer];
        const std::size_t at = kFirstLayer + layer * kPerLayer;
        Matrix inner = linearBackward(gradient, kept.activated, values, gradients, at + kMlp);
        for (std::size_t i = 0; i < inner.size(); ++i)
            inner[i] *= geluSlope(kept.inner[i]);
        const Matrix normed2 = linearBackward(inner, kept.normed2, values, gradients, at + kInner);
        normaliseBackward(gradient, normed2, kept.norm2, values, gradients, at + kNorm2);
        const Matrix mixed = linearBackward(gradient, kept.mixed, values, gradients, at + kOut);
        const Matrix qkv = m_attention.backward(mixed, kept.qkv, kept.probabilities);
        const Matrix normed1 = linearBackward(qkv, kept.normed1, values, gradients, at + kQkv);
        normaliseBackward(gradient, normed1, kept.norm1, values, gradients, at + kNorm1);
    }

    [[nodiscard]] Matrix normalise(const Matrix &x, const Matrices &values) override
    {
        return normalise(x, values, kFirstLayer + m_layers * kPerLayer, m_finalNorm);
    }
    [[nodiscard]] Matrix normaliseBackward(const Matrix &gradient, const Matrices &values, Matrices &gradients) override
    {
        Matrix back(gradient.size());
        normaliseBackward(back, gradient, m_finalNorm, values, gradients, kFirstLayer + m_layers * kPerLayer);
        return back;
    }

private:
    /// Returns x W + b with W [in, out] at that index.
    [[nodiscard]] Matrix linear(const Matrix &x, const Matrices &values, std::size_t at) const
    {
        const Matrix &bias = values[at + 1];
        const std::size_t width = bias.size();
        Matrix y(m_attention.tokens() * width);
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] = bias[i % width];
        product(y, x, false, values[at], false, m_attention.tokens(), width, values[at].size() / width, 1.0);
        return y;
    }
    [[nodiscard]] Matrix linearBackward(const Matrix &gradient, const Matrix &x, const Matrices &values, Matrices &gradients,
                                        std::size_t at) const
    {
        const std::size_t tokens = m_attention.tokens();
        const std::size_t width = values[at + 1].size();
        const std::size_t inner = values[at].size() / width;
        for (std::size_t i = 0; i < gradient.size(); ++i)
            gradients[at + 1][i % width] += gradient[i];
        product(gradients[at], x, true, gradient, false, inner, width, tokens, 1.0);
        Matrix back(tokens * inner);
        product(back, gradient, false, values[at], true, tokens, inner, width, 0.0);
        return back;
    }

    [[nodiscard]] Matrix normalise(const Matrix &x, const Matrices &values, std::size_t at, NormKept &kept) const
    {
        constexpr double kEpsilon = 1e-5;
        kept.normalised.resize(x.size());
        kept.rstd.resize(x.size() / m_hidden);
        Matrix y(x.size());
        for (std::size_t row = 0; row < kept.rstd.size(); ++row) {
            const std::size_t first = row * m_hidden;
            double mean = 0;
            double variance = 0;
            for (std::size_t i = first; i < first + m_hidden; ++i)
                mean += x[i] / static_cast<double>(m_hidden);
            for (std::size_t i = first; i < first + m_hidden; ++i)
                variance += (x[i] - mean) * (x[i] - mean) / static_cast<double>(m_hidden);
            kept.rstd[row] = 1.0 / std::sqrt(variance + kEpsilon);
            for (std::size_t i = 0; i < m_hidden; ++i) {
                kept.normalised[first + i] = (x[first + i] - mean) * kept.rstd[row];
                y[first + i] = kept.normalised[first + i] * values[at][i] + values[at + 1][i];
            }
        }
        return y;
    }
    /// Adds the gradient of x to `back`.
    void normaliseBackward(Matrix &back, const Matrix &gradient, const NormKept &kept, const Matrices &values,
                           Matrices &gradients, std::size_t at) const
    {
        const Matrix &weight = values[at];
        for (std::size_t row = 0; row < kept.rstd.size(); ++row) {
            const std::size_t first = row * m_hidden;
            double mean = 0;
            double along = 0;
            for (std::size_t i = 0; i < m_hidden; ++i) {
                const double g = gradient[first + i] * weight[i] / static_cast<double>(m_hidden);
                mean += g;
                along += g * kept.normalised[first + i];
                gradients[at][i] += gradient[first + i] * kept.normalised[first + i];
                gradients[at + 1][i] += gradient[first + i];
            }
            for (std::size_t i = 0; i < m_hidden; ++i)
                back[first + i] +=
                    kept.rstd[row] * (gradient[first + i] * weight[i] - mean - kept.normalised[first + i] * along);
        }
    }

    Attention m_attention;
    std::size_t m_hidden;
    std::size_t m_layers;
    std::vector<LayerKept> m_kept;
    NormKept m_finalNorm;
};

} // namespace

std::unique_ptr<Family> makeGpt(const model::ModelConfig &model, std::size_t sequences)
{
    return std::make_unique<Gpt>(model, sequences);
}

} // namespace stagelens::runtime::reference
