// One transformer layer: x + attention(norm(x)), then x + mlp(norm(x)).
#pragma once

#include "engine/runtime/executor/context.h"

namespace stagelens::runtime {

/// How much of a layer's backward is done at once.
enum class Backward : unsigned char {
    Whole,
    /// Without the weights and biases of the linear maps, which backwardWeights() brings later. The norms' few parameters are
    /// not worth waiting: one walk over the rows makes their gradients with the input's.
    Inputs,
};

/// Knows its parameters, which the device owns, and keeps nothing of a microbatch: that lies in `saved`,
/// Architecture::savedFloats() of it.
class Layer {
public:
    virtual ~Layer() = default;
    /// out [b s, h] from in [b s, h]; fills `saved`. Without `out` it fills `saved` only, with the same bits.
    virtual void forward(Values out, ConstValues in, float *saved, const Context &context) const = 0;
    /// Turns the gradient of the output into that of the input, in place, and adds the parameters' gradients. With
    /// Backward::Inputs the gradients that backwardWeights() needs take the place of what nobody needs any more, in `in` and
    /// `saved`: waiting takes no memory.
    virtual void backward(Values gradient, Values in, float *saved, Backward part, const Context &context) const = 0;
    /// What backward() left out; the same bits.
    virtual void backwardWeights(ConstValues in, float *saved, const Context &context) const = 0;
};

/// Cuts what a layer keeps into tensors; without a slab it only counts.
class Cutter {
public:
    Cutter(float *slab, base::Precision precision) : m_slab(slab), m_precision(precision) {}
    /// In the run's precision.
    [[nodiscard]] Values values(std::int64_t numbers) { return {cut(base::floatsOf(numbers, m_precision)), m_precision}; }
    [[nodiscard]] float *floats(std::int64_t count) { return cut(base::filledFloats(count, m_precision)); }
    /// Cut off so far.
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
