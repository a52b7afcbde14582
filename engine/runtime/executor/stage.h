// The layers of one stage. What they keep of the microbatches in flight lies where the memory plan has it.
#pragma once

#include "engine/runtime/architectures/architecture.h"

#include <vector>

namespace stagelens::runtime {

using Layers = std::vector<std::unique_ptr<const Layer>>;

/// A stage without layers has nothing to do: who passes a tensor through it does so without it.
class Stage {
public:
    /// One that recomputes keeps the layers' inputs only, and what else they save from I to W.
    Stage(int index, Layers layers, bool recomputes) : m_index(index), m_layers(std::move(layers)), m_recomputes(recomputes) {}

    [[nodiscard]] bool isEmpty() const { return m_layers.empty(); }
    /// Fills `output` from the stage's planned input.
    void forward(int microbatch, Values output, const Context &context) const;
    /// Turns the gradient of the output into that of the input, in place.
    void backward(int microbatch, Values gradient, Backward part, const Context &context) const;
    /// What Backward::Inputs left to do.
    void backwardWeights(int microbatch, const Context &context) const;

private:
    [[nodiscard]] std::int64_t savedInSlot(const Shape &shape) const { return m_recomputes ? 0 : savedFloats(shape); }
    /// A slot a layer: what it saves (unless that is recomputed), and its output unless that leaves. Null where that is
    /// nothing.
    [[nodiscard]] float *keptSlots(int microbatch, const Context &context) const;
    /// Calls `work(layer, its input, what it saved)` from the last layer to the first.
    template <class Work>
    void fromLast(int microbatch, Backward part, const Context &context, const Work &work) const;

    int m_index;
    Layers m_layers;
    bool m_recomputes;
};

} // namespace stagelens::runtime
