#include "engine/operators/recipe.h"

#include "engine/operators/differentiate.h"
#include "engine/operators/recompute.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace stagelens::operators {
namespace {

/// Emits the forward steps.
class ForwardDraft {
public:
    ForwardDraft(const Block &block, const Fusion &fusion, const std::vector<ValueId> &saved)
        : m_block(block), m_fusion(fusion), m_saved(saved)
    {}

    [[nodiscard]] Draft make()
    {
        for (std::size_t i = 0; i < m_block.operators.size(); ++i)
            if (!m_fusion.isAbsorbed(i))
                append(i);
        return std::move(m_draft);
    }

private:
    void append(std::size_t index)
    {
        const Operator &op = m_block.operators[index];
        switch (op.kind) {
        case OperatorKind::Replicate:
        case OperatorKind::SumChoices: return;
        case OperatorKind::AllGather: return exchange(op, Exchange::AllGather, place(op.outputs[0]));
        case OperatorKind::ReduceScatter: return appendSum(index, Exchange::ReduceScatter);
        case OperatorKind::AllReduce: return appendSum(index, Exchange::AllReduce);
        case OperatorKind::TokensToHeads: return exchange(op, Exchange::TokensToHeads, place(op.outputs[0]));
        case OperatorKind::HeadsToTokens: return exchange(op, Exchange::HeadsToTokens, place(op.outputs[0]));
        case OperatorKind::GatherKeys: return appendKeys(op, 0);
        case OperatorKind::DropRows:
            m_draft.steps.push_back(
                exchangeStep(Exchange::DropRows, place(op.inputs[1]), place(op.outputs[0]), m_block.routing.topK));
            return;
        case OperatorKind::SendToExperts:
            m_draft.steps.push_back({.kind = StepKind::Exchange,
                                     .in = {place(op.inputs[0]), place(op.inputs[1]), place(op.inputs[2]), {}},
                                     .out = {place(op.outputs[0]), place(op.outputs[1]), place(op.outputs[2])},
                                     .width = rowWidth(m_block, op),
                                     .exchange = Exchange::SendRows});
            return;
        case OperatorKind::ReturnFromExperts:
            m_draft.steps.push_back({.kind = StepKind::Exchange,
                                     .in = {place(op.inputs[0]), {}, place(op.inputs[2]), place(op.inputs[1])},
                                     .out = {place(op.outputs[0])},
                                     .width = rowWidth(m_block, op),
                                     .exchange = Exchange::ReturnRows});
            return;
        default: break;
        }
        Step step{StepKind::Forward, static_cast<int>(index), {}, {}};
        for (const ValueId value : op.inputs)
            step.in.push_back(place(value));
        std::vector<ValueId> outputs = op.outputs;
        if (const int activation = m_fusion.activation(index); activation >= 0) {
            step.between = place(outputs[0]);
            step.activation = activation;
            outputs = m_block.operators[static_cast<std::size_t>(activation)].outputs;
        }
        if (const int addition = m_fusion.addition(index); addition >= 0) {
            const Operator &add = m_block.operators[static_cast<std::size_t>(addition)];
            step.addend = place(add.inputs[1]);
            outputs = add.outputs;
        }
        for (const ValueId value : outputs)
            step.out.push_back(place(value));
        m_draft.steps.push_back(step);
        const Operator *const keys = keysOf(m_block, op);
        for (step.hop = 1; keys != nullptr && step.hop < keys->ring; ++step.hop) {
            appendKeys(*keys, step.hop);
            m_draft.steps.push_back(step);
        }
    }

    void appendKeys(const Operator &op, int hop)
    {
        const ValueId keys = op.outputs[0];
        m_draft.steps.push_back(exchangeStep(op.ring > 0 ? Exchange::RingKeys : Exchange::GatherKeys, place(op.inputs[0]),
                                             place(keys), m_block.value(keys).width, hop));
    }

    void exchange(const Operator &op, Exchange kind, Place out)
    {
        m_draft.steps.push_back(exchangeStep(kind, place(op.inputs[0]), out, m_block.value(op.inputs[0]).width));
    }

    /// A sum of parts, plus the bias and the residual that it takes along.
    void appendSum(std::size_t index, Exchange kind)
    {
        const Operator &op = m_block.operators[index];
        Step rest{StepKind::Forward, static_cast<int>(index), {}, {place(op.outputs[0])}};
        if (const int addition = m_fusion.addition(index); addition >= 0) {
            const Operator &add = m_block.operators[static_cast<std::size_t>(addition)];
            rest.addend = place(add.inputs[1]);
            rest.out = {place(add.outputs[0])};
        }
        exchange(op, kind, rest.out[0]);
        if (rest.addend || !op.parameters.empty())
            m_draft.steps.push_back(std::move(rest));
    }

    Place place(ValueId value)
    {
        const ValueId root = m_fusion.root(value);
        if (root == Block::kInput)
            return {Place::Kind::Input};
        if (root == m_block.output)
            return {Place::Kind::Output};
        if (isKeptKeys(m_block, root))
            return {Place::Kind::Keys};
        if (std::ranges::find(m_saved, root) != m_saved.end())
            return {Place::Kind::Saved, root};
        const auto found = m_scratch.find(root);
        return found != m_scratch.end() ? found->second : (m_scratch[root] = m_draft.newScratch(m_block.heldWidth(root)));
    }

    const Block &m_block;
    const Fusion &m_fusion;
    const std::vector<ValueId> &m_saved;
    std::map<ValueId, Place> m_scratch;
    Draft m_draft;
};

} // namespace

std::string_view name(Exchange exchange)
{
    constexpr std::array<std::string_view, 15> kNames{"all-gather",   "reduce-scatter",  "all-reduce",      "gather-keys",
                                                      "scatter-keys", "ring-keys",       "ring-gradients",  "sum-choices",
                                                      "drop-rows",    "tokens-to-heads", "heads-to-tokens", "send-rows",
                                                      "return-rows",  "send-gradients",  "return-gradients"};
    return kNames[static_cast<std::size_t>(exchange)];
}

Step exchangeStep(Exchange exchange, Place in, Place out, std::int64_t width, int hop)
{
    return {.kind = StepKind::Exchange, .in = {in}, .out = {out}, .width = width, .exchange = exchange, .hop = hop};
}

bool isKeptKeys(const Block &block, ValueId value)
{
    return std::ranges::any_of(
        block.operators, [value](const Operator &op) { return op.kind == OperatorKind::KeepKeys && op.outputs[0] == value; });
}

const Operator *keysOf(const Block &block, const Operator &attention)
{
    for (const Operator &op : block.operators)
        if (op.kind == OperatorKind::GatherKeys && attention.kind == OperatorKind::Attention && attention.inputs.size() > 1 &&
            op.outputs[0] == attention.inputs[1])
            return &op;
    return nullptr;
}

std::int64_t rowWidth(const Block &block, const Operator &op)
{
    const ValueId own = op.kind == OperatorKind::SendToExperts ? op.inputs[0] : op.outputs[0];
    return block.value(own).width / block.routing.topK;
}

ValueId beforeGather(const Block &block, ValueId value)
{
    for (const Operator &op : block.operators)
        if (op.kind == OperatorKind::AllGather && op.outputs[0] == value)
            return op.inputs[0];
    return value;
}

std::vector<ValueId> savedValues(const Block &block)
{
    const Fusion fusion(block);
    std::vector<bool> isSaved(block.values.size());
    for (const Operator &op : block.operators) {
        const BackwardReads reads = backwardReads(block, op);
        for (const auto *half : {&reads.input, &reads.weight})
            for (const ValueId value : *half)
                isSaved[static_cast<std::size_t>(fusion.root(value))] = true;
    }
    std::vector<ValueId> saved;
    for (const bool areStatistics : {false, true})
        for (ValueId value = Block::kInput + 1; value < static_cast<ValueId>(block.values.size()); ++value)
            if (isSaved[static_cast<std::size_t>(value)] && block.value(value).isStatistics == areStatistics)
                saved.push_back(value);
    return saved;
}

std::vector<ValueId> productInputs(const Block &block)
{
    const Fusion fusion(block);
    std::vector<bool> isRead(block.values.size());  // by a product in 8 bits
    std::vector<bool> isOther(block.values.size()); // by something else
    for (const Operator &op : block.operators) {
        const BackwardReads reads = backwardReads(block, op);
        for (const ValueId value : reads.input)
            isOther[static_cast<std::size_t>(fusion.root(value))] = true;
        const bool isCast = isOf8Bits(block, op);
        for (const ValueId value : reads.weight) {
            const bool isOperand = isCast && value == beforeGather(block, op.inputs[0]);
            (isOperand ? isRead : isOther)[static_cast<std::size_t>(fusion.root(value))] = true;
        }
    }
    std::vector<ValueId> inputs;
    for (ValueId value = Block::kInput + 1; value < static_cast<ValueId>(block.values.size()); ++value)
        if (isRead[static_cast<std::size_t>(value)] && !isOther[static_cast<std::size_t>(value)])
            inputs.push_back(value);
    return inputs;
}

std::vector<std::int64_t> widerScratch(std::vector<std::int64_t> scratch, const std::vector<std::int64_t> &other)
{
    scratch.resize(std::max(scratch.size(), other.size()));
    for (std::size_t i = 0; i < other.size(); ++i)
        scratch[i] = std::max(scratch[i], other[i]);
    return scratch;
}

LayerRecipe recipeOf(Block block)
{
    LayerRecipe recipe;
    recipe.saved = savedValues(block);
    const Fusion fusion(block);
    const Draft forward = ForwardDraft(block, fusion, recipe.saved).make();
    const Differentiated whole = differentiate(block, fusion, recipe.saved, false);
    const Differentiated split = differentiate(block, fusion, recipe.saved, true);
    for (const Draft *draft : {&forward, &whole.draft, &split.draft, &split.weights}) {
        recipe.scratch = widerScratch(std::move(recipe.scratch), scratchWidths(draft->lives()));
    }
    if (block.tensorRanks > 1) { // the vocabulary layers need two tensors [b s, h], which other layers always have
        recipe.scratch.resize(std::max<std::size_t>(recipe.scratch.size(), 2));
        for (std::int64_t &width : std::span(recipe.scratch).first(2))
            width = std::max(width, block.value(Block::kInput).width);
    }
    recipe.forward = forward.placed(recipe.scratch);
    recipe.rebuild = rebuildSteps(recipe.forward, recipe.saved);
    recipe.backward = whole.draft.placed(recipe.scratch);
    recipe.inputGradient = split.draft.placed(recipe.scratch);
    recipe.weightGradient = split.weights.placed(recipe.scratch);
    recipe.block = std::move(block);
    return recipe;
}

} // namespace stagelens::operators
