// The operators of a mixture of experts as kernel calls.
#pragma once

#include "engine/runtime/layers/step_tensors.h"

#include <cmath>
#include <cstdint>

namespace stagelens::runtime {

/// Returns the sizes of what a rank routes of a microbatch: its own tokens, or those of all tensor ranks.
[[nodiscard]] inline kernels::RoutingShape routingShapeOf(const operators::Block &block, const Shape &shape)
{
    return {block.routesOwnRows() ? shape.ownTokens() : shape.tokens(), block.routing.experts, block.routing.topK};
}

/// Returns the rows that an expert accepts of `rows` choices; 0 if it accepts all.
[[nodiscard]] inline std::int64_t capacityOf(const operators::Routing &routing, std::int64_t rows)
{
    const double mean = static_cast<double>(rows) / routing.experts;
    return routing.capacityFactor > 0 ? std::llround(std::ceil(routing.capacityFactor * mean)) : 0;
}

/// Runs the steps of the operators Route, Dispatch, ExpertLinear, ExpertSwiGlu and Combine.
class ExpertKernels : StepTensors {
public:
    explicit ExpertKernels(const StepTensors &tensors) : StepTensors(tensors) {}

    void forward(const operators::Step &step, const operators::Operator &op) const;
    void inputGradient(const operators::Step &step, const operators::Operator &op) const;
    /// Of ExpertLinear: adds the gradients of its weights. Of Route: adds the rows of each expert.
    void weightGradient(const operators::Step &step, const operators::Operator &op) const;

private:
    /// The rows of the experts of this rank, which with expert ranks are those that have arrived.
    struct ExpertRows {
        std::int32_t *routes;
        kernels::RoutingShape shape;
    };

    void forwardLinear(const operators::Step &step, const operators::Operator &op) const;
    void linearInputGradient(const operators::Step &step, const operators::Operator &op) const;
    void linearWeightGradient(const operators::Step &step, const operators::Operator &op) const;
    /// Multiplies the rows of each expert with its matrix of that many numbers.
    void multiply(backend::ExpertProduct::Of of, const operators::Place &by, std::int64_t matrix,
                  const backend::Product &each) const;
    [[nodiscard]] std::int32_t *routes(const operators::Place &place) const
    {
        return reinterpret_cast<std::int32_t *>(floats(place));
    }
    [[nodiscard]] kernels::RoutingShape routingShape() const { return routingShapeOf(m_block, m_context.shape); }
    [[nodiscard]] kernels::RouterRule rule() const;
    /// `excess`: of the choices of all ranks that route a part of the microbatch; null: those of this rank.
    [[nodiscard]] kernels::RouterLosses losses(Values excess) const;
    [[nodiscard]] ExpertRows expertRows(const operators::Place &place) const;
    /// Returns the numbers of a row of a value of the experts.
    [[nodiscard]] std::int64_t rowWidth(operators::ValueId value) const;
};

} // namespace stagelens::runtime
