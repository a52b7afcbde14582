// The float64 reference of an architecture, and the arithmetic that the architectures share. It uses plain loops and shares no
// code with the fp32 layers that it checks.
#pragma once

#include "engine/model/model_config.h"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace stagelens::runtime::reference {

using Matrix = std::vector<double>; ///< row-major
using Matrices = std::vector<Matrix>;

/// One microbatch in the layers of a model. Parameters are in the order of parameterList(). Gradients accumulate.
class Family {
public:
    virtual ~Family() = default;
    /// Adds the position table, if any, to the embedded tokens.
    virtual void addPositions(Matrix &, const Matrices &) const {}
    virtual void addPositionGradients(const Matrix &, Matrices &) const {}
    /// Replaces x by the output of the layer, and saves what its backward needs.
    virtual void forward(Matrix &x, std::size_t layer, const Matrices &values) = 0;
    /// Replaces the gradient of the output by that of the input.
    virtual void backward(Matrix &gradient, std::size_t layer, const Matrices &values, Matrices &gradients) = 0;
    /// Applies the final norm.
    [[nodiscard]] virtual Matrix normalise(const Matrix &x, const Matrices &values) = 0;
    [[nodiscard]] virtual Matrix normaliseBackward(const Matrix &gradient, const Matrices &values, Matrices &gradients) = 0;
};

[[nodiscard]] std::unique_ptr<Family> makeGpt(const model::ModelConfig &model, std::size_t sequences);
/// `microbatchWeight` is that of the losses of routers in the loss of the step. `slices`: the tokens of each slice of a
/// sequence.
[[nodiscard]] std::unique_ptr<Family> makeLlama(const model::ModelConfig &model, std::size_t sequences, double microbatchWeight,
                                                const std::vector<int> &slices);

/// A mixture of experts, as a loop over all experts of which each computes all tokens. Ordered as its parameters: router, and
/// of all experts gate, down and up; before these the bias of a sigmoid router, and after them gate, up and down of the shared
/// experts. Slices of sequences have losses and capacities of their own.
class Experts {
public:
    Experts(const model::ModelConfig &model, double microbatchWeight, const std::vector<int> &slices);
    [[nodiscard]] static std::size_t parameters(const model::ModelConfig &model)
    {
        return 4 + (model.hasRouterBias() ? 1 : 0) + (model.sharedExperts > 0 ? 3 : 0);
    }
    /// Returns the output for normalised x [tokens, h]; `values` is the first of its parameters.
    [[nodiscard]] Matrix forward(const Matrix &x, const Matrix *values);
    /// Returns the gradient of x, with the router's losses.
    [[nodiscard]] Matrix backward(const Matrix &gradient, const Matrix *values, Matrix *gradients) const;

private:
    struct Expert {
        Matrix gate, up, activated, out;
    };
    void chooseExperts(const Matrix *bias);
    /// Marks the k of a token, by the scores of all experts.
    void choose(std::size_t row, std::vector<double> scores);
    void keepGroups(std::vector<double> &scores) const;
    void dropRows();
    void computeExpert(Expert &expert, const Matrix &gate, const Matrix &up, const Matrix &down, std::size_t width) const;
    /// Adds to the gradients of one MLP and of its input; `out` is the gradient of its output.
    void backwardOfExpert(const Expert &expert, const Matrix &out, const std::array<const Matrix *, 3> &values,
                          const std::array<Matrix *, 3> &gradients, std::size_t width, Matrix &back) const;
    [[nodiscard]] std::size_t first() const { return m_model.hasRouterBias() ? 2 : 1; } ///< parameter of the routed experts
    /// Returns the gradient of the logits from that of the gates, both [tokens, E].
    [[nodiscard]] Matrix logitGradient(const Matrix &gateGradient) const;
    /// Returns the slice of the token of a place in [tokens, E], and the tokens of that slice in all sequences.
    [[nodiscard]] std::size_t sliceOf(std::size_t place) const
    {
        return m_sliceOf[place / m_experts.size() % m_sliceOf.size()];
    }
    [[nodiscard]] double tokensOf(std::size_t slice) const;

    model::ModelConfig m_model;
    std::size_t m_hidden;
    std::size_t m_width;
    std::size_t m_topK;
    double m_auxLoss;
    double m_zLoss;
    std::vector<std::size_t> m_sliceOf; ///< of each position of a sequence
    std::vector<Expert> m_experts;
    Expert m_shared;
    Matrix m_x;
    Matrix m_logits; ///< [tokens, E], as the following
    Matrix m_softmax;
    Matrix m_gates; ///< 0 of experts that were not chosen
    std::vector<bool> m_isChosen;
    std::vector<bool> m_isDropped;
};

/// Computes c = op(a) op(b) + beta c; op(a) is rows x inner, op(b) is inner x columns.
void product(Matrix &c, const Matrix &a, bool aTransposed, const Matrix &b, bool bTransposed, std::size_t rows,
             std::size_t columns, std::size_t inner, double beta);
void addTo(Matrix &to, const Matrix &from);

/// Causal attention over rows of [queries | keys | values]; heads / kvHeads query heads share a key head.
struct Attention {
    std::size_t sequences;
    std::size_t length;
    std::size_t heads;
    std::size_t kvHeads;
    std::size_t size; ///< of a head

    Attention(const model::ModelConfig &model, std::size_t count);
    [[nodiscard]] std::size_t tokens() const { return sequences * length; }
    [[nodiscard]] std::size_t width() const { return heads * size; }
    [[nodiscard]] std::size_t rowWidth() const { return (heads + 2 * kvHeads) * size; }
    [[nodiscard]] Matrix forward(const Matrix &qkv, Matrix &probabilities) const;
    [[nodiscard]] Matrix backward(const Matrix &gradient, const Matrix &qkv, const Matrix &probabilities) const;

private:
    template <class Work>
    void forEachHead(const Work &work) const;
    [[nodiscard]] double scale() const;
};

} // namespace stagelens::runtime::reference
