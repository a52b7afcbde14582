// One transformer layer on a device: executes the recipe of its architecture (engine/operators/recipe.h).
#pragma once

#include "engine/runtime/executor/context.h"
#include "engine/runtime/state/parameters.h"

#include <span>
#include <vector>

namespace stagelens::runtime {

/// The part of a layer's backward to compute.
enum class Backward : unsigned char {
    Whole,
    /// All but the gradients of weights and biases of linear maps, which backwardWeights() computes later. The gradients of the
    /// norms are included, because they need the same pass over the rows as the gradient of the input.
    Inputs,
};

/// References its parameters, which the device owns. Has no state per microbatch: that is in `saved`, Shape::savedFloats()
/// floats.
class Layer {
public:
    /// `parameters` in the order of Block::parameters.
    explicit Layer(std::vector<Parameter *> parameters) : m_parameters(std::move(parameters)) {}

    /// Computes out [b s, h] from in [b s, h] and fills `saved`. If `out` is null, only fills `saved`, with the same bits.
    void forward(Values out, Values in, float *saved, const Context &context) const;
    /// Replaces the gradient of the output by that of the input, and adds the gradients of the parameters. With
    /// Backward::Inputs, writes the gradients that backwardWeights() needs over tensors in `in` and `saved` that are no longer
    /// needed, so that they take no extra memory.
    void backward(Values gradient, Values in, float *saved, Backward part, const Context &context) const;
    /// Computes what backward() left out, with the same bits.
    void backwardWeights(Values in, float *saved, const Context &context) const;

private:
    class Execution;
    std::vector<Parameter *> m_parameters;
};

} // namespace stagelens::runtime
