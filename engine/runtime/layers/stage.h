// The layers of one stage. The memory plan stores what they save for microbatches in flight.
#pragma once

#include "engine/runtime/layers/layer.h"

#include <vector>

namespace stagelens::runtime {

using Layers = std::vector<Layer>;

/// The functions below must not be called on an empty stage, which passes its input on unchanged.
class Stage {
public:
    /// A stage with recomputation saves only the inputs of its layers, and their other saved tensors from I to W.
    Stage(int index, Layers layers, bool recomputes) : m_index(index), m_layers(std::move(layers)), m_recomputes(recomputes) {}

    [[nodiscard]] bool isEmpty() const { return m_layers.empty(); }
    /// Computes `output` from the stage's planned input.
    void forward(int microbatch, Values output, const Context &context) const;
    /// Replaces the gradient of the output by that of the input.
    void backward(int microbatch, Values gradient, Backward part, const Context &context) const;
    /// Computes the weight gradients that Backward::Inputs left out.
    void backwardWeights(int microbatch, const Context &context) const;

private:
    [[nodiscard]] std::int64_t savedInSlot(const Shape &shape) const { return m_recomputes ? 0 : shape.savedFloats(); }
    /// Returns one slot per layer: the tensors that it saves, unless they are recomputed, and its output, unless it leaves the
    /// stage. Null if the slots are empty.
    [[nodiscard]] float *keptSlots(int microbatch, const Context &context) const;
    /// Calls `work(layer, its input, its saved tensors)` from the last layer to the first.
    template <class Work>
    void fromLast(int microbatch, Backward part, const Context &context, const Work &work) const;

    int m_index;
    Layers m_layers;
    bool m_recomputes;
};

} // namespace stagelens::runtime
