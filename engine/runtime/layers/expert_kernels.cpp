#include "engine/runtime/layers/expert_kernels.h"

#include "engine/runtime/layers/arrivals.h"

namespace stagelens::runtime {

using kernels::Form;
using operators::Operator;
using operators::OperatorKind;
using operators::Place;
using operators::Projection;
using operators::Step;

void ExpertKernels::forward(const Step &step, const Operator &op) const
{
    switch (op.kind) {
    case OperatorKind::Route: {
        const float *const bias = op.parameters.empty() ? nullptr : parameter(op.parameters[0]).value.data();
        return compute().routeForward(floats(step.out[0]), routes(step.out[1]), at(step.in[0]), bias, routingShape(), rule());
    }
    case OperatorKind::Dispatch:
        return compute().dispatchRows(at(step.out[0]), at(step.in[0]), routes(step.in[1]), routingShape(),
                                      widthOf(op.inputs[0]));
    case OperatorKind::ExpertLinear: return forwardLinear(step, op);
    case OperatorKind::ExpertSwiGlu: {
        const ExpertRows rows = expertRows(step.in[3]);
        return compute().expertSwigluForward(at(step.out[0]), at(step.in[0]), at(step.in[1]), floats(step.in[2]), rows.routes,
                                             rows.shape, rowWidth(op.outputs[0]));
    }
    case OperatorKind::Combine:
        return compute().combineRows(at(step.out[0]), at(step.in[0]), step.addend ? at(step.addend) : Values(),
                                     routes(step.in[1]), routingShape(), widthOf(op.outputs[0]));
    default: break;
    }
}

void ExpertKernels::inputGradient(const Step &step, const Operator &op) const
{
    switch (op.kind) {
    case OperatorKind::Route:
        return compute().routeBackward(at(step.out[0]), at(step.in[0]), floats(step.in[1]), routes(step.in[2]), routingShape(),
                                       rule(), losses(step.in.size() > 3 ? at(step.in[3]) : Values()));
    case OperatorKind::Dispatch: // each token has k rows of gradients
        return compute().combineRows(at(step.out[0]), at(step.in[0]), step.accumulates ? at(step.out[0]) : Values(),
                                     routes(step.in[1]), routingShape(), widthOf(op.inputs[0]));
    case OperatorKind::ExpertLinear: return linearInputGradient(step, op);
    case OperatorKind::ExpertSwiGlu: {
        const ExpertRows rows = expertRows(step.in[2]);
        return compute().expertSwigluBackward(at(step.out[0]), at(step.out[1]), at(step.out[2]), at(step.in[0]),
                                              floats(step.in[1]), rows.routes, rows.shape, rowWidth(op.outputs[0]));
    }
    case OperatorKind::Combine: // each row has the gradient of its token
        return compute().dispatchRows(at(step.out[0]), at(step.in[0]), routes(step.in[1]), routingShape(),
                                      widthOf(op.outputs[0]));
    default: break;
    }
}

void ExpertKernels::weightGradient(const Step &step, const Operator &op) const
{
    if (op.kind == OperatorKind::Route)
        return compute().addExcess(parameter(op.parameters[0]).gradient.data(), routes(step.in[0]), routingShape());
    linearWeightGradient(step, op);
}

void ExpertKernels::forwardLinear(const Step &step, const Operator &op) const
{
    for (std::size_t i = 0; i < op.projections.size(); ++i) {
        const Projection &projection = op.projections[i];
        const Parameter &weight = parameter(projection.weight);
        const std::int64_t in = m_block.inputWidth(projection);
        const std::int64_t width = m_block.outputWidth(projection);
        multiply(backend::ExpertProduct::Of::Rows, step.in.back(), in * width,
                 {.columns = width,
                  .inner = in,
                  .a = {at(step.in[0]), in},
                  .b = {weight.weights(), in, Form::Transposed},
                  .c = at(step.out[i]),
                  .stride = width,
                  .rounding = roundingOf(op, backend::Rounding::ByWeight)});
    }
}

void ExpertKernels::linearInputGradient(const Step &step, const Operator &op) const
{
    for (std::size_t i = 0; i < op.projections.size(); ++i) {
        const Projection &projection = op.projections[i];
        const std::int64_t in = m_block.inputWidth(projection);
        const std::int64_t width = m_block.outputWidth(projection);
        multiply(backend::ExpertProduct::Of::Rows, step.in.back(), in * width,
                 {.columns = in,
                  .inner = width,
                  .a = {at(step.in[i]), width},
                  .b = {parameter(projection.weight).weights(), in},
                  .c = at(step.out[0]),
                  .stride = in,
                  .beta = i > 0 ? 1.0F : 0.0F,
                  .rounding = roundingOf(op, backend::Rounding::ByWeight)});
    }
}

void ExpertKernels::linearWeightGradient(const Step &step, const Operator &op) const
{
    for (std::size_t i = 0; i < op.projections.size(); ++i) {
        const Projection &projection = op.projections[i];
        const std::int64_t in = m_block.inputWidth(projection);
        const std::int64_t width = m_block.outputWidth(projection);
        multiply(backend::ExpertProduct::Of::Weights, step.in.back(), in * width,
                 {.rows = width,
                  .columns = in,
                  .a = {at(step.in[i + 1]), width, Form::Transposed},
                  .b = {at(step.in[0]), in},
                  .c = parameter(projection.weight).gradient.data(),
                  .stride = in,
                  .beta = 1,
                  .rounding = roundingOf(op, backend::Rounding::OfTokens)});
    }
}

void ExpertKernels::multiply(backend::ExpertProduct::Of of, const Place &by, std::int64_t matrix,
                             const backend::Product &each) const
{
    const ExpertRows rows = expertRows(by);
    compute().multiplyExperts({of, each, matrix, rows.routes, rows.shape});
}

kernels::RouterRule ExpertKernels::rule() const
{
    const operators::Routing &routing = m_block.routing;
    // Otherwise experts drop rows after the exchange: see DropExchange.
    const bool dropsAlone = !m_block.has(OperatorKind::DropRows);
    return {.isSigmoid = routing.score == model::RouterScore::Sigmoid,
            .scale = static_cast<float>(routing.scale),
            .groups = routing.groups,
            .chosenGroups = routing.chosenGroups,
            .capacity = dropsAlone ? capacityOf(routing, routingShape().rows()) : 0,
            .dropsLast = routing.dropRule == model::DropRule::Position};
}

kernels::RouterLosses ExpertKernels::losses(Values excess) const
{
    const operators::Routing &routing = m_block.routing;
    // Tensor ranks that compute the losses of the same tokens add the gradients of their logits.
    const int same = m_block.routesOwnRows() ? 1 : m_block.tensorRanks;
    return {static_cast<float>(routing.auxLoss / same), static_cast<float>(routing.zLoss / same), m_context.shape.passWeight(),
            m_context.shape.split.context * m_block.tensorRanks / same,
            static_cast<const float *>(excess.address())}; // float in every precision
}

ExpertKernels::ExpertRows ExpertKernels::expertRows(const Place &place) const
{
    if (m_block.expertRanks == 1)
        return {routes(place), routingShape()};
    const std::int64_t planned = routingShape().tokens * m_block.expertRows;
    return {Arrivals(routes(place), planned).routes(), {planned, m_block.routing.experts / m_block.expertRanks, 1}};
}

std::int64_t ExpertKernels::rowWidth(operators::ValueId value) const
{
    return widthOf(value) / (m_block.expertRanks > 1 ? m_block.expertRows : m_block.routing.topK);
}

} // namespace stagelens::runtime
