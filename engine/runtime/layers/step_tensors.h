// What a step of a layer's recipe refers to: its tensors, parameters and sizes.
#pragma once

#include "engine/runtime/layers/layer.h"
#include "engine/runtime/layers/norm.h"

#include <cstdint>
#include <vector>

namespace stagelens::runtime {

/// Resolves the places and values of the steps of one layer and microbatch. All arguments must outlive it.
class StepTensors {
protected:
    StepTensors(const std::vector<Parameter *> &parameters, const operators::Block &block, const Layer::Tensors &tensors,
                const Context &context)
        : m_parameters(parameters), m_block(block), m_tensors(tensors), m_context(context)
    {}

    [[nodiscard]] Values at(const operators::Place &place) const { return m_tensors.at(place, m_context); }
    [[nodiscard]] float *floats(const operators::Place &place) const { return m_tensors.saved(place.index); }
    [[nodiscard]] Norm norm(const operators::Operator &op) const
    {
        return {&parameter(op.parameters[0]), op.parameters.size() > 1 ? &parameter(op.parameters[1]) : nullptr};
    }
    [[nodiscard]] Parameter &parameter(int index) const { return *m_parameters[size(index)]; }
    [[nodiscard]] const operators::Operator &operatorOf(const operators::Step &step) const
    {
        return m_block.operators[size(step.op)];
    }
    [[nodiscard]] std::int64_t widthOf(operators::ValueId value) const { return m_block.value(value).width; }
    [[nodiscard]] bool isInputFirst() const { return m_block.layout == operators::WeightLayout::InputByOutput; }
    [[nodiscard]] std::int64_t rows() const { return m_context.shape.tokens(); }
    [[nodiscard]] std::int64_t rowsOf(operators::ValueId value) const
    {
        return m_block.value(value).isOwnRows ? m_context.shape.ownTokens() : rows();
    }
    [[nodiscard]] backend::Compute &compute() const { return m_context.compute; }
    /// Returns `rounding` if the products of the operator are in 8 bits.
    [[nodiscard]] backend::Rounding roundingOf(const operators::Operator &op, backend::Rounding rounding) const
    {
        return m_context.shape.isOf8Bits && operators::isOf8Bits(m_block, op) ? rounding : backend::Rounding::None;
    }

    const std::vector<Parameter *> &m_parameters;
    const operators::Block &m_block;
    const Layer::Tensors &m_tensors;
    const Context &m_context;
};

} // namespace stagelens::runtime
