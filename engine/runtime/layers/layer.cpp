#include "engine/runtime/layers/layer.h"

#include "engine/runtime/layers/expert_kernels.h"
#include "engine/runtime/layers/step_tensors.h"

#include <utility>

namespace stagelens::runtime {

using kernels::Epilogue;
using kernels::Form;
using operators::Operator;
using operators::OperatorKind;
using operators::Place;
using operators::Projection;
using operators::Step;
using operators::StepKind;

/// Executes a step of the recipe for one microbatch.
class Layer::Execution : StepTensors {
public:
    Execution(const Layer &layer, const Tensors &tensors, const Context &context)
        : StepTensors(layer.m_parameters, layer.plan(context.shape).recipe.block, tensors, context)
    {}

    void run(const Step &step) const
    {
        switch (step.kind) {
        case StepKind::Copy: return compute().copy(at(step.out[0]), at(step.in[0]), rows() * step.width);
        case StepKind::Zero: return compute().zero(at(step.out[0]), rows() * step.width);
        case StepKind::Forward: return forward(step, operatorOf(step));
        case StepKind::InputGradient: return inputGradient(step, operatorOf(step));
        case StepKind::WeightGradient: return weightGradient(step, operatorOf(step));
        case StepKind::Exchange: break; // see StageRun
        }
    }

private:
    /// Columns of a row-major matrix.
    struct Columns {
        Values data;
        std::int64_t stride = 0;
    };

    void forward(const Step &step, const Operator &op) const
    {
        switch (op.kind) {
        case OperatorKind::LayerNorm:
        case OperatorKind::RmsNorm:
            return forwardNorm(norm(op), at(step.out[0]), floats(step.out[1]), at(step.in[0]), m_context);
        case OperatorKind::Linear: return forwardLinear(step, op);
        case OperatorKind::SwiGlu:
            return compute().swigluForward(at(step.out[0]), at(step.in[0]), at(step.in[1]), rows() * widthOf(op.outputs[0]));
        case OperatorKind::Rotary: return rotate(at(step.out[0]), kernels::Turn::Forwards);
        case OperatorKind::Attention:
            return compute().attentionForward(at(step.out[0]), floats(step.out[1]),
                                              step.out.size() > 2 ? at(step.out[2]) : Values(), at(step.in[0]),
                                              step.in.size() > 1 ? at(step.in[1]) : Values(), m_context.attention(step.hop),
                                              m_context.workspace.attention.data());
        case OperatorKind::Route:
        case OperatorKind::Dispatch:
        case OperatorKind::ExpertLinear:
        case OperatorKind::ExpertSwiGlu:
        case OperatorKind::Combine: return ExpertKernels(*this).forward(step, op);
        case OperatorKind::ReduceScatter:
        case OperatorKind::AllReduce: return completeSum(step, op);
        case OperatorKind::KeepKeys: return copyKeys(at(step.in[0]), at(step.out[0]), true);
        case OperatorKind::Activation:
            return compute().activationForward(op.activation, at(step.out[0]), at(step.in[0]), rows() * widthOf(op.outputs[0]));
        case OperatorKind::LatentAttention: // model::capabilities() refuses it
        case OperatorKind::Add:             // part of a product or sum
        case OperatorKind::AllGather:
        case OperatorKind::GatherKeys:
        case OperatorKind::TokensToHeads:
        case OperatorKind::HeadsToTokens:
        case OperatorKind::SendToExperts:
        case OperatorKind::ReturnFromExperts:
        case OperatorKind::SumChoices:
        case OperatorKind::DropRows:
        case OperatorKind::Replicate: break; // exchanges only
        }
    }

    /// out += b + addend, after the exchange.
    void completeSum(const Step &step, const Operator &op) const
    {
        const std::int64_t count = rowsOf(op.outputs[0]);
        const std::int64_t width = widthOf(op.outputs[0]);
        if (!op.parameters.empty()) // a position table of one row
            compute().addPositions(at(step.out[0]), parameter(op.parameters[0]).weights(), count, 1, width);
        if (step.addend)
            compute().addScaled(at(step.out[0]), at(step.addend), 1.0F, count * width);
    }

    void inputGradient(const Step &step, const Operator &op) const
    {
        switch (op.kind) {
        case OperatorKind::LayerNorm:
        case OperatorKind::RmsNorm:
            return backwardNorm(norm(op), at(step.out[0]), at(step.in[0]), at(step.in[1]), floats(step.in[2]), m_context);
        case OperatorKind::Linear: return linearInputGradient(step, op);
        case OperatorKind::SwiGlu:
            return compute().swigluBackward(at(step.out[0]), at(step.out[1]), at(step.in[0]), rows() * widthOf(op.outputs[0]));
        case OperatorKind::Rotary: return rotate(at(step.out[0]), kernels::Turn::Backwards);
        case OperatorKind::Attention: return attentionInputGradient(step, op);
        case OperatorKind::Route:
        case OperatorKind::Dispatch:
        case OperatorKind::ExpertLinear:
        case OperatorKind::ExpertSwiGlu:
        case OperatorKind::Combine: return ExpertKernels(*this).inputGradient(step, op);
        case OperatorKind::KeepKeys: return copyKeys(at(step.out[0]), at(step.in[0]), false);
        case OperatorKind::AllGather:
            return compute().addScaled(at(step.out[0]), at(step.in[0]), 1.0F, rowsOf(op.inputs[0]) * widthOf(op.inputs[0]));
        default: break;
        }
    }

    void attentionInputGradient(const Step &step, const Operator &op) const
    {
        const bool hasKeys = step.out.size() > 1;
        compute().attentionBackward(at(step.out[0]), hasKeys ? at(step.out[1]) : Values(), at(step.in[0]), at(step.in[1]),
                                    hasKeys ? at(step.in.back()) : Values(), at(step.in[2]), floats(step.in[3]),
                                    op.outputs.size() > 2 ? at(step.in[4]) : Values(), m_context.attention(step.hop),
                                    m_context.workspace.attention.data());
    }

    /// out = in W + b (+ addend), or between = in W + b and out = its activation.
    void forwardLinear(const Step &step, const Operator &op) const
    {
        const bool isActivated = static_cast<bool>(step.between);
        for (const Projection &projection : op.projections) {
            const Parameter &weight = parameter(projection.weight);
            const std::int64_t in = m_block.inputWidth(projection);
            const std::int64_t width = m_block.outputWidth(projection);
            const auto out = columns(step.out, op, projection);
            backend::Product product{.rows = rowsOf(op.inputs[0]),
                                     .columns = width,
                                     .inner = in,
                                     .a = {at(step.in[0]), in},
                                     .b = {weight.weights(), weight.columns, isInputFirst() ? Form::Plain : Form::Transposed},
                                     .c = out.data,
                                     .stride = out.stride,
                                     .rounding = roundingOf(op, backend::Rounding::ByWeight)};
            if (projection.bias >= 0) {
                product.epilogue = isActivated ? Epilogue::Activation : Epilogue::Bias;
                product.bias = parameter(projection.bias).weights();
            }
            if (isActivated) {
                product.between = at(step.between);
                product.activation = activationOf(step);
            }
            if (step.addend)
                product.addend = at(step.addend);
            compute().multiply(product);
        }
    }

    /// inGradient (+)= outGradient W^T, times the derivative of the activation at `between` if it is given.
    void linearInputGradient(const Step &step, const Operator &op) const
    {
        float beta = step.accumulates ? 1.0F : 0.0F;
        for (const Projection &projection : op.projections) {
            const Parameter &weight = parameter(projection.weight);
            const std::int64_t in = m_block.inputWidth(projection);
            const auto out = columns(step.in, op, projection);
            compute().multiply({.rows = rowsOf(op.inputs[0]),
                                .columns = in,
                                .inner = m_block.outputWidth(projection),
                                .a = {out.data, out.stride},
                                .b = {weight.weights(), weight.columns, isInputFirst() ? Form::Transposed : Form::Plain},
                                .c = at(step.out[0]),
                                .stride = in,
                                .beta = std::exchange(beta, 1.0F),
                                .epilogue = step.between ? Epilogue::ActivationBackward : Epilogue::None,
                                .between = step.between ? at(step.between) : Values(),
                                .activation = activationOf(step),
                                .rounding = roundingOf(op, backend::Rounding::ByWeight)});
        }
    }

    /// Returns the function that a product applies, if any.
    [[nodiscard]] kernels::Activation activationOf(const Step &step) const
    {
        return step.between ? m_block.operators[static_cast<std::size_t>(step.activation)].activation : kernels::Activation{};
    }

    /// dW += in^T outGradient in the layout of W, db += sum of the rows of outGradient.
    void weightGradient(const Step &step, const Operator &op) const
    {
        if (op.kind == OperatorKind::ExpertLinear || op.kind == OperatorKind::Route)
            return ExpertKernels(*this).weightGradient(step, op);
        if (op.kind != OperatorKind::Linear) // the bias of a sum
            return compute().addColumnSums(parameter(op.parameters[0]).gradient.data(), at(step.in[0]), rowsOf(op.outputs[0]),
                                           widthOf(op.outputs[0]));
        for (const Projection &projection : op.projections) {
            Parameter &weight = parameter(projection.weight);
            const auto out = columns(std::span(step.in).subspan(1), op, projection);
            const backend::Operand input{at(step.in[0]), m_block.inputWidth(projection)};
            const backend::Operand output{out.data, out.stride};
            backend::Product product{.rows = weight.rows,
                                     .columns = weight.columns,
                                     .inner = rowsOf(op.inputs[0]),
                                     .a = isInputFirst() ? input : output,
                                     .b = isInputFirst() ? output : input,
                                     .c = weight.gradient.data(),
                                     .stride = weight.columns,
                                     .beta = 1,
                                     .rounding = roundingOf(op, backend::Rounding::OfTokens)};
            product.a.form = Form::Transposed;
            compute().multiply(product);
            if (projection.bias >= 0)
                compute().addColumnSums(parameter(projection.bias).gradient.data(), out.data, rowsOf(op.inputs[0]),
                                        m_block.outputWidth(projection));
        }
    }

    /// Copies the columns of keys and values of fused rows to those of the whole sequences, or back.
    void copyKeys(Values fused, Values keys, bool isForward) const
    {
        const kernels::AttentionShape attention = m_context.shape.fusedRows();
        const std::int64_t width = 2 * attention.kvWidth();
        m_context.shape.eachRun(0, {0, rows()}, [&](std::int64_t first, std::int64_t position, std::int64_t count) {
            const std::int64_t place = first / attention.sequence * m_context.shape.wholeSequence() + position;
            const Values own = fused + (first * attention.qkvWidth() + attention.width());
            const Values shared = keys + place * width;
            if (isForward)
                compute().copyRows(shared, width, own, attention.qkvWidth(), count, width);
            else
                compute().copyRows(own, attention.qkvWidth(), shared, width, count, width);
        });
    }

    /// Rotates queries and keys in place.
    void rotate(Values qkv, kernels::Turn direction) const
    {
        const kernels::AttentionShape attention = m_context.shape.fusedRows();
        compute().rotate(qkv, m_context.workspace.constants.data() + m_context.shape.begin * m_context.shape.headSize,
                         {.rows = rows(),
                          .sequence = attention.sequence,
                          .heads = attention.heads + attention.kvHeads,
                          .size = attention.size,
                          .stride = attention.qkvWidth()},
                         direction);
    }

    /// Returns the columns of a projection in its output (or the gradient of that); `places` are those of the outputs.
    [[nodiscard]] Columns columns(std::span<const Place> places, const Operator &op, const Projection &projection) const
    {
        std::size_t output = 0;
        while (output + 1 < op.outputs.size() && op.outputs[output] != projection.out)
            ++output;
        return {at(places[output]) + projection.firstColumn, widthOf(projection.out)};
    }
};

Values Layer::Tensors::at(const Place &place, const Context &context) const
{
    switch (place.kind) {
    case Place::Kind::None: break;
    case Place::Kind::Input: return in;
    case Place::Kind::Output: return out;
    case Place::Kind::Gradient: return gradient;
    case Place::Kind::Saved: return context.values(saved(place.index));
    case Place::Kind::Scratch: return context.scratch(place.index);
    case Place::Kind::Keys: return context.values(keys);
    case Place::Kind::KeyGradients: return context.values(keyGradients);
    }
    return {};
}

void Layer::run(const Step &step, const Tensors &tensors, const Context &context) const
{
    Execution(*this, tensors, context).run(step);
}

} // namespace stagelens::runtime
