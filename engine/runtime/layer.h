// One transformer layer of GPT-2: x + attention(norm(x)), then x + mlp(norm(x)).
#pragma once

#include "engine/runtime/context.h"
#include "engine/runtime/parameters.h"

namespace stagelens::runtime {

/// A linear map with its bias.
struct Linear {
    Parameter *weight = nullptr; ///< [in, out]
    Parameter *bias = nullptr;
};
/// A layer normalisation.
struct Norm {
    Parameter *weight = nullptr;
    Parameter *bias = nullptr;
};

/// The parameters of a layer, owned by the device.
struct LayerParameters {
    Norm attentionNorm;
    Linear queryKeyValue;
    Linear attentionOut;
    Norm mlpNorm;
    Linear mlpIn;
    Linear mlpOut;
};

/// How much of a layer's backward is done at once.
enum class Backward : unsigned char {
    Whole,
    /// Without the weights and biases of the linear maps, which backwardWeights() brings later. The norms' few parameters are
    /// not worth waiting: one walk over the rows makes their gradients with the input's.
    Inputs,
};

/// Floats that a layer keeps from F to B beside its input.
[[nodiscard]] std::int64_t savedFloats(const Shape &shape);

/// out [b s, h] from in [b s, h]; fills `saved`. Without `out` it fills `saved` only, with the same bits.
void forwardLayer(const LayerParameters &layer, float *out, const float *in, float *saved, const Context &context);
/// Turns the gradient of the output into that of the input, in place, and adds the parameters' gradients. With
/// Backward::Inputs the gradients that backwardWeights() needs take the place of what nobody needs any more, in `in` and
/// `saved`: waiting takes no memory.
void backwardLayer(const LayerParameters &layer, float *gradient, float *in, float *saved, Backward part,
                   const Context &context);
/// What backwardLayer() left out; the same bits.
void backwardWeights(const LayerParameters &layer, const float *in, float *saved, const Context &context);

} // namespace stagelens::runtime
