// One transformer layer: x + attention(norm(x)), then x + mlp(norm(x)).
#pragma once

#include "engine/runtime/executor/context.h"

namespace stagelens::runtime {

/// The part of a layer's backward to compute.
enum class Backward : unsigned char {
    Whole,
    /// All but the gradients of weights and biases of linear maps, which backwardWeights() computes later. The gradients of the
    /// norms are included, because they need the same pass over the rows as the gradient of the input.
    Inputs,
};

/// References its parameters, which the device owns. Has no state per microbatch: that is in `saved`,
/// Architecture::savedFloats() floats.
class Layer {
public:
    virtual ~Layer() = default;
    /// Computes out [b s, h] from in [b s, h] and fills `saved`. If `out` is null, only fills `saved`, with the same bits.
    virtual void forward(Values out, ConstValues in, float *saved, const Context &context) const = 0;
    /// Replaces the gradient of the output by that of the input, and adds the gradients of the parameters. With
    /// Backward::Inputs, writes the gradients that backwardWeights() needs over tensors in `in` and `saved` that are no longer
    /// needed, so that they take no extra memory.
    virtual void backward(Values gradient, Values in, float *saved, Backward part, const Context &context) const = 0;
    /// Computes what backward() left out, with the same bits.
    virtual void backwardWeights(ConstValues in, float *saved, const Context &context) const = 0;
};

/// Divides the saved memory of a layer into tensors. Without a slab it only counts.
class Cutter {
public:
    Cutter(float *slab, base::Precision precision) : m_slab(slab), m_precision(precision) {}
    /// Returns numbers in the precision of the run.
    [[nodiscard]] Values values(std::int64_t numbers) { return {cut(base::floatsOf(numbers, m_precision)), m_precision}; }
    [[nodiscard]] float *floats(std::int64_t count) { return cut(base::filledFloats(count, m_precision)); }
    /// Returns the floats allocated so far.
    [[nodiscard]] std::int64_t floats() const { return m_floats; }

private:
    [[nodiscard]] float *cut(std::int64_t floats)
    {
        float *part = m_slab == nullptr ? nullptr : m_slab + m_floats;
        m_floats += floats;
        return part;
    }
    float *m_slab;
    base::Precision m_precision;
    std::int64_t m_floats = 0;
};

} // namespace stagelens::runtime
