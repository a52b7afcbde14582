// The layers of one stage, with what they keep of the microbatches in flight.
#pragma once

#include "engine/backend/transport.h"
#include "engine/runtime/architecture.h"

#include <map>
#include <vector>

namespace stagelens::runtime {

using Layers = std::vector<std::unique_ptr<const Layer>>;

/// A stage without layers passes its input and its gradient on.
class Stage {
public:
    /// One that recomputes keeps the layers' inputs only, and what else they save from I to W.
    Stage(Layers layers, bool recomputes) : m_layers(std::move(layers)), m_recomputes(recomputes) {}

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
        backend::Buffer slots; ///< a slot a layer: what it saves (unless that is recomputed), and its output unless that leaves
        backend::Buffer again; ///< what layers saved when they were recomputed: of all of them, or of one after the other
    };
    [[nodiscard]] std::int64_t savedInSlot(const Shape &shape) const { return m_recomputes ? 0 : savedFloats(shape); }
    /// Calls `work(layer, its input, what it saved)` from the last layer to the first.
    template <class Work>
    void fromLast(InFlight &kept, Backward part, const Shape &shape, const Work &work) const;

    Layers m_layers;
    bool m_recomputes;
    std::map<int, InFlight> m_inFlight; ///< by microbatch
};

} // namespace stagelens::runtime
