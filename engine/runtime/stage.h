// The layers of one stage, with what they keep of the microbatches in flight.
#pragma once

#include "engine/backend/transport.h"
#include "engine/runtime/layer.h"

#include <map>
#include <vector>

namespace stagelens::runtime {

/// A stage without layers passes its input and its gradient on.
class Stage {
public:
    explicit Stage(std::vector<LayerParameters> layers) : m_layers(std::move(layers)) {}

    [[nodiscard]] backend::Tensor forward(int microbatch, backend::Tensor input, const Context &context);
    /// Works in the gradient's own memory. Backward::Whole frees the microbatch's activations.
    [[nodiscard]] backend::Tensor backward(int microbatch, backend::Tensor gradient, Backward part, const Context &context);
    /// What Backward::Inputs left to do; frees the microbatch's activations.
    void backwardWeights(int microbatch, const Context &context);
    /// Forgets every microbatch in flight.
    void clear() { m_inFlight.clear(); }

private:
    struct InFlight {
        backend::Tensor input;
        backend::Buffer saved;
    };
    /// Floats of one layer's slot: what it keeps, then its output unless that leaves the stage.
    [[nodiscard]] static std::int64_t slotFloats(const Shape &shape) { return savedFloats(shape) + shape.boundary(); }
    /// Calls `work(layer, its input, what it saved)` from the last layer to the first.
    template <class Work>
    void fromLast(InFlight &kept, const Shape &shape, const Work &work) const;

    std::vector<LayerParameters> m_layers;
    std::map<int, InFlight> m_inFlight; ///< by microbatch
};

} // namespace stagelens::runtime
