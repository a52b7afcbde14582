// The float64 reference of an architecture, and the arithmetic that the architectures share. It uses plain loops and shares no
// code with the fp32 layers that it checks.
#pragma once

#include "engine/model/model_config.h"

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
[[nodiscard]] std::unique_ptr<Family> makeLlama(const model::ModelConfig &model, std::size_t sequences);

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
