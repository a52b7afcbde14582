// One transformer layer on a device: executes the recipe of its architecture (engine/operators/recipe.h).
#pragma once

#include "engine/runtime/layers/context.h"
#include "engine/runtime/state/parameters.h"

#include <vector>

namespace stagelens::runtime {

/// References its parameters, which the device owns. Has no state per microbatch.
class Layer {
public:
    /// `parameters` in the order of Block::parameters; `isDense`: without experts where others have some.
    Layer(std::vector<Parameter *> parameters, bool isDense) : m_parameters(std::move(parameters)), m_isDense(isDense) {}

    [[nodiscard]] const LayerPlan &plan(const Shape &shape) const { return m_isDense ? *shape.dense : *shape.layer; }

    /// Returns its parameters in the order of Block::parameters.
    [[nodiscard]] const std::vector<Parameter *> &parameters() const { return m_parameters; }

    /// The tensors of a microbatch.
    struct Tensors {
        Values in;
        Values out;
        Values gradient; ///< of the output before the backward, of the input after it
        const operators::LayerStorage *storage = nullptr;
        float *kept = nullptr;    ///< saved values, from F to B or W
        float *rebuilt = nullptr; ///< the others
        // Slices of sequences:
        float *keys = nullptr;         ///< keys and values of the microbatch, [b, s, 2 kv]
        float *keyGradients = nullptr; ///< sums of their gradients
        /// Returns where a saved value is.
        [[nodiscard]] float *saved(operators::ValueId value) const
        {
            const std::int64_t offset = storage->kept.offsets[size(value)];
            return offset >= 0 ? kept + offset : rebuilt + storage->dropped.offsets[size(value)];
        }
        /// Returns where a step of the recipe finds a tensor.
        [[nodiscard]] Values at(const operators::Place &place, const Context &context) const;
    };
    /// Launches the kernels of a step of the recipe, other than an exchange. Gradients of parameters are added to.
    void run(const operators::Step &step, const Tensors &tensors, const Context &context) const;

private:
    class Execution;
    std::vector<Parameter *> m_parameters;
    bool m_isDense;
};

} // namespace stagelens::runtime
