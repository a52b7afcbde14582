// The layers of one stage. The memory plan stores what they save for microbatches in flight.
#pragma once

#include "engine/runtime/layers/layer.h"
#include "engine/runtime/layers/tensor_exchange.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace stagelens::runtime {

using Layers = std::vector<Layer>;

/// An empty stage passes its input on unchanged, so that nothing is run on it.
class Stage {
public:
    /// Of the first `whole` layers only the inputs are kept from F to B. Rebuilt values are kept from I to W. `firstLayer`: the
    /// number of its first layer in the model.
    Stage(int index, int firstLayer, Layers layers, int whole)
        : m_index(index), m_firstLayer(firstLayer), m_layers(std::move(layers)), m_whole(whole)
    {}

    [[nodiscard]] bool isEmpty() const { return m_layers.empty(); }

private:
    friend class StageRun;
    int m_index;
    int m_firstLayer;
    Layers m_layers;
    int m_whole; ///< layers that are recomputed as a whole
};

/// What a pass computes of the layers of a stage.
enum class StageWork : unsigned char {
    Forward,
    Backward,
    /// All but the gradients of weights and biases of linear maps, which WeightGradient computes later. The gradients of the
    /// norms are included, because they need the same pass over the rows as the gradient of the input. What WeightGradient
    /// needs is written over tensors that are no longer needed, so that it takes no extra memory.
    InputGradient,
    WeightGradient, ///< with the same bits as in Backward
};

/// The layers of a stage being computed for one microbatch. Pauses at each exchange among tensor ranks. Used by the thread of
/// its device.
class StageRun {
public:
    /// Forward computes `tensor` from the planned input of the stage; a backward replaces in it the gradient of the output by
    /// that of the input.
    StageRun(const Stage &stage, StageWork work, int microbatch, Values tensor, const Context &context);

    /// Launches the kernels up to the next exchange and returns it; returns nothing at the end.
    [[nodiscard]] std::optional<TensorExchange> advance(const Context &context);

private:
    using Steps = std::span<const operators::Step>;

    void noteTime(const operators::Step &step, const Context &context) const;
    /// Records what a router has chosen, if the step is one.
    void noteRoutes(const operators::Step &step, const Context &context) const;
    [[nodiscard]] TensorExchange exchangeOf(const operators::Step &step, const Context &context) const;
    void enterLayer(const Context &context);
    /// With weights on the host: waits for those of the layer.
    void fetchWeights(const Context &context) const;
    void findTensors(const Context &context);
    /// With packed activations: where the layer computes, which the backward first fills with what it unpacks.
    void findUnpacked(const Context &context);
    /// Packs the input of the layer and what it keeps, which the forward has used in full.
    void pack(const Context &context) const;
    void unpack(const Context &context) const;
    [[nodiscard]] std::int64_t layer() const;
    [[nodiscard]] std::int64_t layers() const { return static_cast<std::int64_t>(m_stage->m_layers.size()); }

    const Stage *m_stage;
    StageWork m_work;
    int m_microbatch;
    Values m_tensor;
    std::size_t m_layersDone = 0;
    Layer::Tensors m_tensors;       ///< of the current layer
    float *m_packed = nullptr;      ///< what it keeps, packed
    float *m_packedInput = nullptr; ///< its input, packed
    std::array<Steps, 2> m_lists;   ///< of the current layer: recomputation, and the work
    std::size_t m_list = 0;
};

} // namespace stagelens::runtime
