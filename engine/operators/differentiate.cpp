#include "engine/operators/differentiate.h"

#include "engine/operators/backward_gradients.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace stagelens::operators {
namespace {

/// The rules of differentiation: appends the steps of the backward of each kind of operator.
class BackwardRules : BackwardGradients {
public:
    BackwardRules(const Block &block, const Fusion &fusion, const std::vector<ValueId> &saved, bool isSplit)
        : BackwardGradients(block, fusion, saved), m_isSplit(isSplit)
    {}

    [[nodiscard]] Differentiated make()
    {
        m_gradient[m_block.output] = {Place::Kind::Gradient};
        for (m_op = m_block.operators.size(); m_op-- > 0;)
            append(m_block.operators[m_op]);
        if (gradient(Block::kInput).kind != Place::Kind::Gradient || hasPending())
            throw std::logic_error("the gradient of a block's input needs a copy");
        return {std::move(m_draft), std::move(m_weights)};
    }

private:
    void append(const Operator &op)
    {
        switch (op.kind) {
        case OperatorKind::Add:
            for (const ValueId value : op.inputs) {
                if (m_gradient.contains(m_fusion.root(value)))
                    throw std::logic_error("the residual of a block has a gradient before its addition");
                m_gradient[m_fusion.root(value)] = gradient(op.outputs[0]);
            }
            break;
        case OperatorKind::Linear: appendLinear(op); break;
        case OperatorKind::Activation: break; // part of the product after it
        case OperatorKind::SwiGlu:
            m_draft.steps.push_back({StepKind::InputGradient,
                                     static_cast<int>(m_op),
                                     {gradient(op.outputs[0])},
                                     {saved(op.inputs[0]), saved(op.inputs[1])}});
            for (const ValueId value : op.inputs)
                m_gradient[value] = saved(value);
            break;
        case OperatorKind::Rotary:
            m_draft.steps.push_back(
                {StepKind::InputGradient, static_cast<int>(m_op), {gradient(op.outputs[0])}, {gradient(op.outputs[0])}});
            break;
        case OperatorKind::Attention: {
            const Place out = m_draft.newScratch(m_block.value(op.inputs[0]).width);
            Step step{StepKind::InputGradient, static_cast<int>(m_op), {gradient(op.outputs[0]), saved(op.inputs[0])}, {out}};
            for (const ValueId value : op.outputs)
                step.in.push_back(saved(value));
            appendAttention(op, std::move(step));
            m_gradient[m_fusion.root(op.inputs[0])] = out;
            break;
        }
        case OperatorKind::LatentAttention: appendLatentAttention(op); break;
        case OperatorKind::LayerNorm:
        case OperatorKind::RmsNorm: appendNorm(op); break;
        case OperatorKind::Replicate:
            exchange(m_draft, Exchange::AllReduce, gradient(op.outputs[0]), gradient(op.outputs[0]));
            break;
        case OperatorKind::AllGather: appendGather(op); break;
        case OperatorKind::ReduceScatter:
        case OperatorKind::AllReduce: appendSum(op); break;
        case OperatorKind::Route:
        case OperatorKind::Dispatch:
        case OperatorKind::ExpertLinear:
        case OperatorKind::ExpertSwiGlu:
        case OperatorKind::Combine: appendExperts(op); break;
        case OperatorKind::TokensToHeads: appendTransposed(op, Exchange::HeadsToTokens); break;
        case OperatorKind::HeadsToTokens: appendTransposed(op, Exchange::TokensToHeads); break;
        case OperatorKind::SendToExperts:
        case OperatorKind::ReturnFromExperts: appendExpertExchange(op); break;
        case OperatorKind::SumChoices: appendChoices(op); break;
        case OperatorKind::DropRows: break; // the other rows have the gates that they had
        case OperatorKind::GatherKeys:
        case OperatorKind::KeepKeys: break; // see appendAttention()
        }
    }

    void appendLatentAttention(const Operator &op)
    {
        Step step{StepKind::InputGradient, static_cast<int>(m_op), {gradient(op.outputs[0])}, {}};
        for (const auto *values : {&op.inputs, &op.outputs})
            for (const ValueId value : *values)
                step.in.push_back(saved(value));
        for (const ValueId value : op.inputs)
            step.out.push_back(m_gradient[m_fusion.root(value)] = m_draft.newScratch(m_block.heldWidth(value)));
        m_draft.steps.push_back(std::move(step));
    }

    /// With context ranks the keys are gathered again, or travel again part by part, and each rank needs the sum of the
    /// gradients of its own.
    void appendAttention(const Operator &op, Step step)
    {
        if (op.inputs.size() == 1) {
            m_draft.steps.push_back(std::move(step));
            return;
        }
        if (isKeptKeys(m_block, op.inputs[1]))
            return appendSlice(std::move(step));
        const std::int64_t width = m_block.value(op.inputs[1]).width;
        const Place keys = m_draft.newScratch(width);
        const Place gradients = m_draft.newScratch(width);
        const Place fused = step.out[0];
        const Place qkv = step.in[1];
        step.in.push_back(keys);
        step.out.push_back(gradients);
        const int ring = keysOf(m_block, op)->ring;
        const bool isRing = ring > 0;
        for (step.hop = 0; step.hop < std::max(ring, 1); ++step.hop) {
            m_draft.steps.push_back(
                exchangeStep(isRing ? Exchange::RingKeys : Exchange::GatherKeys, qkv, keys, width, step.hop));
            m_draft.steps.push_back(step);
            m_draft.steps.push_back(
                exchangeStep(isRing ? Exchange::RingGradients : Exchange::ScatterKeys, gradients, fused, width, step.hop));
        }
        if (isRing)
            m_draft.steps.push_back(exchangeStep(Exchange::RingGradients, gradients, fused, width, ring));
    }

    /// The slices of a sequence share keys; later ones have added their parts of the gradients, so those of this slice's keys
    /// are complete.
    void appendSlice(Step step)
    {
        const Place sums{Place::Kind::KeyGradients};
        const Place fused = step.out[0];
        step.in.push_back({Place::Kind::Keys});
        step.out.push_back(sums);
        m_draft.steps.push_back(std::move(step));
        const auto keeps = std::ranges::find(m_block.operators, OperatorKind::KeepKeys, &Operator::kind);
        m_draft.steps.push_back(
            {StepKind::InputGradient, static_cast<int>(keeps - m_block.operators.begin()), {sums}, {fused}});
    }

    /// The gradient goes back to where the numbers came from.
    void appendTransposed(const Operator &op, Exchange back)
    {
        const ValueId root = m_fusion.root(op.inputs[0]);
        const std::int64_t width = m_block.heldWidth(root);
        const Place out = m_draft.newScratch(width);
        m_draft.steps.push_back(exchangeStep(back, gradient(op.outputs[0]), out, width));
        m_gradient[root] = out;
    }

    /// Before the gradient of Route.
    void appendChoices(const Operator &op)
    {
        const std::int64_t experts = m_block.value(op.outputs[0]).width;
        m_choices = m_draft.newScratch(experts);
        m_draft.steps.push_back(exchangeStep(Exchange::SumChoices, saved(op.inputs[0]), m_choices, experts));
    }

    void appendExperts(const Operator &op)
    {
        const auto op_ = static_cast<int>(m_op);
        const Place routes = saved(op.kind == OperatorKind::Route ? op.outputs[1] : op.inputs.back());
        switch (op.kind) {
        case OperatorKind::Route:
            m_gradient[op.inputs[0]] = saved(op.inputs[0]);
            if (!op.parameters.empty()) // the rows of each expert
                m_draft.steps.push_back({StepKind::WeightGradient, op_, {routes}, {}});
            m_draft.steps.push_back(
                {StepKind::InputGradient, op_, {gradient(op.outputs[0]), saved(op.outputs[0]), routes}, {saved(op.inputs[0])}});
            if (m_choices)
                m_draft.steps.back().in.push_back(m_choices);
            break;
        case OperatorKind::Dispatch: {
            const ValueId root = m_fusion.root(op.inputs[0]);
            Step step{StepKind::InputGradient, op_, {gradient(op.outputs[0]), routes}, {}};
            step.accumulates = m_gradient.contains(root);
            if (!step.accumulates)
                m_gradient[root] = m_draft.newScratch(m_block.heldWidth(root));
            step.out = {m_gradient[root]};
            appendWrite(op.inputs[0], std::move(step), step.accumulates);
            break;
        }
        case OperatorKind::ExpertSwiGlu:
            m_gradient[op.inputs[2]] = m_draft.newScratch(m_block.heldWidth(op.inputs[2]));
            m_draft.steps.push_back({StepKind::InputGradient,
                                     op_,
                                     {gradient(op.outputs[0]), saved(op.inputs[2]), routes},
                                     {saved(op.inputs[0]), saved(op.inputs[1]), m_gradient[op.inputs[2]]}});
            for (const ValueId value : {op.inputs[0], op.inputs[1]})
                m_gradient[value] = saved(value);
            break;
        case OperatorKind::Combine: {
            const ValueId rows = op.inputs[0];
            m_gradient[rows] = m_draft.newScratch(m_block.heldWidth(rows));
            m_combined[rows] = {op.outputs[0], op_};
            m_draft.steps.push_back({StepKind::InputGradient, op_, {gradient(op.outputs[0]), routes}, {m_gradient[rows]}});
            break;
        }
        default: appendExpertLinear(op, routes); break;
        }
    }

    /// The gradients travel as the rows did, in the other direction.
    void appendExpertExchange(const Operator &op)
    {
        const bool isSend = op.kind == OperatorKind::SendToExperts;
        const ValueId rows = op.inputs[0];
        m_gradient[rows] = m_draft.newScratch(m_block.heldWidth(rows));
        Step step{.kind = StepKind::Exchange,
                  .in = {gradient(op.outputs[0]), {}, saved(op.inputs[2]), saved(isSend ? op.outputs[2] : op.inputs[1])},
                  .out = {m_gradient[rows]},
                  .width = rowWidth(m_block, op),
                  .exchange = isSend ? Exchange::ReturnGradients : Exchange::SendGradients};
        if (isSend) {
            m_gradient[op.inputs[1]] = m_draft.newScratch(m_block.heldWidth(op.inputs[1]));
            step.in[1] = gradient(op.outputs[1]);
            step.out.push_back(m_gradient[op.inputs[1]]);
        }
        m_draft.steps.push_back(std::move(step));
    }

    /// Returns whether the gradient of an operator's output came from the ranks whose rows it has. Only the first half has it.
    [[nodiscard]] bool isReturned(const Operator &op) const
    {
        return std::ranges::any_of(m_block.operators, [&](const Operator &each) {
            return each.kind == OperatorKind::ReturnFromExperts && each.inputs[0] == op.outputs[0];
        });
    }

    void appendExpertLinear(const Operator &op, Place routes)
    {
        Step step{StepKind::InputGradient, static_cast<int>(m_op), {}, {m_draft.newScratch(m_block.heldWidth(op.inputs[0]))}};
        for (const ValueId value : op.outputs)
            step.in.push_back(gradient(value));
        step.in.push_back(routes);
        Step weights{StepKind::WeightGradient, static_cast<int>(m_op), {saved(op.inputs[0])}, {}};
        weights.in.insert(weights.in.end(), step.in.begin(), step.in.end());
        if (m_isSplit && !isReturned(op))
            appendExpertWeights(std::move(weights), op, routes);
        else
            m_draft.steps.push_back(std::move(weights));
        m_gradient[op.inputs[0]] = step.out[0];
        m_draft.steps.push_back(std::move(step));
    }

    /// As appendWeights(). The second half gathers the rows of the gradient of a combined sum again, which takes a k-th of
    /// their memory to keep.
    void appendExpertWeights(Step step, const Operator &op, Place routes)
    {
        const auto combined = m_combined.find(op.outputs[0]);
        if (combined == m_combined.end())
            return appendWeights(std::move(step), op);
        const auto [sum, combination] = combined->second;
        const auto scattered = m_scattered.find(sum);
        const bool isScattered = scattered != m_scattered.end();
        Place gradients;
        if (isScattered) {
            gradients = m_weights.newScratch(m_block.heldWidth(sum));
            exchange(m_weights, Exchange::AllGather, {}, gradients);
        }
        const std::size_t first = isScattered ? m_weights.steps.size() - 1 : m_weights.steps.size(); // which reads what is kept
        const Place rows = m_weights.newScratch(m_block.heldWidth(op.outputs[0]));
        m_weights.steps.push_back({StepKind::InputGradient, combination, {gradients, routes}, {rows}});
        step.in[1] = rows;
        m_weights.steps.push_back(std::move(step));
        keep(isScattered ? scattered->second : sum, {first, 0});
    }

    void exchange(Draft &draft, Exchange kind, Place in, Place out) const
    {
        draft.steps.push_back(exchangeStep(kind, in, out, m_block.value(Block::kInput).width));
    }

    /// The ranks have parts of the gradient of a gathered value; each needs the sum for its own rows.
    void appendGather(const Operator &op)
    {
        const ValueId root = m_fusion.root(op.inputs[0]);
        const Place own = m_draft.newScratch(m_block.heldWidth(root));
        exchange(m_draft, Exchange::ReduceScatter, gradient(op.outputs[0]), own);
        if (!m_gradient.contains(root)) {
            m_gradient[root] = own;
            return;
        }
        // The router and the experts have read the rank's own rows of the same value.
        Step step{StepKind::InputGradient, static_cast<int>(m_op), {own}, {m_gradient[root]}};
        step.accumulates = true;
        appendWrite(op.inputs[0], std::move(step), true);
    }

    /// Each summand has the gradient of the sum.
    void appendSum(const Operator &op)
    {
        const ValueId sum = op.outputs[0];
        const ValueId part = op.inputs[0];
        if (!op.parameters.empty())
            m_draft.steps.push_back({StepKind::WeightGradient, static_cast<int>(m_op), {gradient(sum)}, {}});
        if (op.kind == OperatorKind::AllReduce) {
            m_gradient[part] = gradient(sum);
            return;
        }
        m_gradient[part] = m_draft.newScratch(m_block.heldWidth(part));
        m_scattered[part] = sum;
        exchange(m_draft, Exchange::AllGather, gradient(sum), m_gradient[part]);
    }

    /// Returns the input of a linear map. A gathered one is gathered again.
    Place inputOf(const Operator &op, Draft &draft) const
    {
        const ValueId before = beforeGather(m_block, op.inputs[0]);
        if (before == op.inputs[0])
            return saved(before);
        const Place gathered = draft.newScratch(m_block.heldWidth(op.inputs[0]));
        exchange(draft, Exchange::AllGather, saved(before), gathered);
        return gathered;
    }

    /// Appends the weight gradients to the second half, which reads the gradients of the outputs where the first has kept them.
    /// The gradient of a scattered sum is kept before it is gathered.
    void appendWeights(Step step, const Operator &op)
    {
        if (const auto scattered = m_scattered.find(op.outputs[0]); scattered != m_scattered.end()) {
            const Place gathered = m_weights.newScratch(m_block.heldWidth(op.outputs[0]));
            exchange(m_weights, Exchange::AllGather, {}, gathered);
            step.in[1] = gathered;
            m_weights.steps.push_back(std::move(step));
            return keep(scattered->second, {m_weights.steps.size() - 2, 0});
        }
        m_weights.steps.push_back(std::move(step));
        for (std::size_t i = 0; i < op.outputs.size(); ++i)
            keep(op.outputs[i], {m_weights.steps.size() - 1, i + 1});
    }

    void appendLinear(const Operator &op)
    {
        std::vector<Place> outGradients;
        for (const ValueId value : op.outputs)
            outGradients.push_back(gradient(value));
        Step weights{StepKind::WeightGradient, static_cast<int>(m_op), {inputOf(op, m_isSplit ? m_weights : m_draft)}, {}};
        weights.in.insert(weights.in.end(), outGradients.begin(), outGradients.end());
        if (m_isSplit)
            appendWeights(std::move(weights), op);
        else
            m_draft.steps.push_back(std::move(weights));
        ValueId input = op.inputs[0];
        Step step{StepKind::InputGradient, static_cast<int>(m_op), outGradients, {}};
        if (const int before = m_fusion.producer(input);
            before >= 0 && m_block.operators[static_cast<std::size_t>(before)].kind == OperatorKind::Activation) {
            input = m_block.operators[static_cast<std::size_t>(before)].inputs[0];
            step.between = saved(input);
            step.activation = before;
        }
        const ValueId root = m_fusion.root(input);
        step.accumulates = m_gradient.contains(root);
        if (step.accumulates && step.between)
            throw std::logic_error("an activation of a block is read twice");
        if (!step.accumulates)
            m_gradient[root] = m_draft.newScratch(m_block.heldWidth(root));
        step.out = {m_gradient[root]};
        appendWrite(input, std::move(step), step.accumulates);
    }

    void appendNorm(const Operator &op)
    {
        const ValueId root = m_fusion.root(op.inputs[0]);
        const std::int64_t width = m_block.heldWidth(root);
        if (!m_gradient.contains(root)) {
            m_gradient[root] = m_draft.newScratch(width);
            m_draft.steps.push_back({StepKind::Zero, -1, {}, {m_gradient[root]}, {}, {}, false, width});
        }
        Step step{StepKind::InputGradient,
                  static_cast<int>(m_op),
                  {gradient(op.outputs[0]), saved(op.inputs[0]), saved(op.outputs[1])},
                  {m_gradient[root]}};
        step.accumulates = true;
        appendWrite(op.inputs[0], std::move(step), true);
    }

    bool m_isSplit;
    Place m_choices;                                       ///< of SumChoices, if the block has it
    std::map<ValueId, std::pair<ValueId, int>> m_combined; ///< from rows to their sum and its operator
    std::map<ValueId, ValueId> m_scattered;                ///< from a part of a sum to the scattered sum
};

} // namespace

Differentiated differentiate(const Block &block, const Fusion &fusion, const std::vector<ValueId> &saved, bool isSplit)
{
    return BackwardRules(block, fusion, saved, isSplit).make();
}

} // namespace stagelens::operators
