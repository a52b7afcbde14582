// The float64 reference's view of a model family, and the arithmetic that the families share. Plain loops throughout: this is
// what the fp32 layers are measured by, and shares nothing with them.
#pragma once

#include "engine/model/model_config.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace stagelens::runtime::reference {

using Matrix = std::vector<double>; ///< row-major
using Matrices = std::vector<Matrix>;

/// One microbatch on its way through the layers of a model. Parameters are in the order of parameterList(); gradients are
/// added.
class Family {
public:
    virtual ~Family() = default;
    /// Adds the table of positions, where there is one, to the embedded tokens.
    virtual void addPositions(Matrix &, const Matrices &) const {}
    virtual void addPositionGradients(const Matrix &, Matrices &) const {}
    /// x becomes the layer's output; what its backward needs is kept.
    virtual void forward(Matrix &x, std::size_t layer, const Matrices &values) = 0;
    /// The gradient of the layer's output becomes that of its input.
    virtual void backward(Matrix &gradient, std::size_t layer, const Matrices &values, Matrices &gradients) = 0;
    /// The final norm.
    [[nodiscard]] virtual Matrix normalise(const Matrix &x, const Matrices &values) = 0;
    [[nodiscard]] virtual Matrix normaliseBackward(const Matrix &gradient, const Matrices &values, Matrices &gradients) = 0;
};

[[nodiscard]] std::unique_ptr<Family> makeGpt(const model::ModelConfig &model, std::size_t sequences);
[[nodiscard]] std::unique_ptr<Family> makeLlama(const model::ModelConfig &model, std::size_t sequences);

/// c = op(a) op(b) + beta c; op(a) is rows x inner, op(b) inner x columns.
void product(Matrix &c, const Matrix &a, bool aTransposed, const Matrix &b, bool bTransposed, std::size_t rows,
             std::size_t columns, std::size_t inner, double beta);
void addTo(Matrix &to, const Matrix &from);

/// Causal attention over rows of [queries | keys | values]; a key head serves as many query heads as there are to each.
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
