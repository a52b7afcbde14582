#include "engine/operators/block.h"

#include <algorithm>
#include <utility>

namespace stagelens::operators {

std::int64_t Block::inputWidth(const Projection &projection) const
{
    const BlockParameter &weight = parameter(projection.weight);
    return layout == WeightLayout::InputByOutput ? weight.rows : weight.columns;
}

std::int64_t Block::outputWidth(const Projection &projection) const
{
    const BlockParameter &weight = parameter(projection.weight);
    return layout == WeightLayout::InputByOutput ? weight.columns : weight.rows / weight.experts;
}

bool Block::has(OperatorKind kind) const
{
    return std::ranges::any_of(operators, [kind](const Operator &each) { return each.kind == kind; });
}

std::string Block::namesOfOutputs(const Operator &op) const
{
    std::string names;
    for (const ValueId id : op.outputs)
        if (!value(id).isStatistics)
            names += (names.empty() ? "" : ", ") + std::string(value(id).name);
    return names;
}

Block withProbabilities(Block block, const model::ModelConfig &model)
{
    for (Operator &op : block.operators) {
        if (op.kind != OperatorKind::Attention)
            continue;
        op.outputs.push_back(static_cast<ValueId>(block.values.size()));
        block.values.push_back({"probabilities", std::int64_t{model.heads} * model.sequence});
    }
    return block;
}

std::int64_t probabilityWidth(const Block &block, const Operator &op)
{
    return op.kind == OperatorKind::Attention && op.outputs.size() > 2 ? block.value(op.outputs[2]).width : 0;
}

BlockBuilder::BlockBuilder(std::int64_t hidden, WeightLayout layout)
{
    m_block.layout = layout;
    value("in", hidden);
}

int BlockBuilder::vector(std::string_view name, std::int64_t width, Initial initial)
{
    m_block.parameters.push_back({.name = name, .columns = width, .initial = initial});
    return static_cast<int>(m_block.parameters.size()) - 1;
}

int BlockBuilder::matrix(std::string_view name, std::int64_t in, std::int64_t out, Initial initial)
{
    const bool isInputFirst = m_block.layout == WeightLayout::InputByOutput;
    m_block.parameters.push_back(
        {.name = name, .rows = isInputFirst ? in : out, .columns = isInputFirst ? out : in, .initial = initial});
    return static_cast<int>(m_block.parameters.size()) - 1;
}

void BlockBuilder::cut(int parameter, Cut cut, std::vector<Section> sections)
{
    BlockParameter &each = m_block.parameters[static_cast<std::size_t>(parameter)];
    each.cut = cut;
    each.sections = std::move(sections);
}

ValueId BlockBuilder::value(std::string_view name, std::int64_t width)
{
    m_block.values.push_back({name, width});
    return static_cast<ValueId>(m_block.values.size()) - 1;
}

ValueId BlockBuilder::statistics(std::string_view name, std::int64_t width)
{
    const ValueId id = value(name, width);
    m_block.values.back().isStatistics = true;
    return id;
}

ValueId BlockBuilder::append(OperatorKind kind, std::vector<ValueId> inputs, std::string_view name, std::int64_t width)
{
    const ValueId out = value(name, width);
    m_block.operators.push_back({kind, std::move(inputs), {out}, {}, {}});
    return out;
}

ValueId BlockBuilder::layerNorm(std::string_view name, std::string_view statisticsName, ValueId x, int weight, int bias)
{
    const ValueId out = append(OperatorKind::LayerNorm, {x}, name, m_block.value(x).width);
    m_block.operators.back().outputs.push_back(statistics(statisticsName, 2));
    m_block.operators.back().parameters = {weight, bias};
    return out;
}

ValueId BlockBuilder::rmsNorm(std::string_view name, std::string_view statisticsName, ValueId x, int weight)
{
    const ValueId out = append(OperatorKind::RmsNorm, {x}, name, m_block.value(x).width);
    m_block.operators.back().outputs.push_back(statistics(statisticsName, 1));
    m_block.operators.back().parameters = {weight};
    return out;
}

ValueId BlockBuilder::linear(std::string_view name, ValueId x, int weight, int bias)
{
    const ValueId out = value(name, m_block.outputWidth({weight}));
    linear(x, {{weight, bias, out}});
    return out;
}

void BlockBuilder::linear(ValueId x, std::vector<Projection> projections)
{
    std::vector<ValueId> outputs;
    for (const Projection &projection : projections)
        if (std::ranges::find(outputs, projection.out) == outputs.end())
            outputs.push_back(projection.out);
    m_block.operators.push_back({OperatorKind::Linear, {x}, std::move(outputs), {}, std::move(projections)});
}

ValueId BlockBuilder::activation(std::string_view name, ValueId x, kernels::Activation function)
{
    const ValueId out = append(OperatorKind::Activation, {x}, name, m_block.value(x).width);
    m_block.operators.back().activation = function;
    return out;
}

ValueId BlockBuilder::swiGlu(std::string_view name, ValueId gate, ValueId up)
{
    return append(OperatorKind::SwiGlu, {gate, up}, name, m_block.value(gate).width);
}

ValueId BlockBuilder::rotary(std::string_view name, ValueId qkv)
{
    return append(OperatorKind::Rotary, {qkv}, name, m_block.value(qkv).width);
}

ValueId BlockBuilder::attention(std::string_view name, ValueId qkv, const model::ModelConfig &model)
{
    const ValueId out = append(OperatorKind::Attention, {qkv}, name, std::int64_t{model.heads} * model.headSize());
    m_block.operators.back().outputs.push_back(statistics("log-sum-exp", model.heads));
    return out;
}

ValueId BlockBuilder::latentAttention(std::string_view name, ValueId queries, ValueId keyValues, ValueId rotated,
                                      const model::ModelConfig &model)
{
    const ValueId out = append(OperatorKind::LatentAttention, {queries, keyValues, rotated}, name,
                               std::int64_t{model.heads} * model.latentAttention->valueSize);
    m_block.operators.back().outputs.push_back(statistics("log-sum-exp", model.heads));
    return out;
}

ValueId BlockBuilder::add(std::string_view name, ValueId x, ValueId residual)
{
    return append(OperatorKind::Add, {x, residual}, name, m_block.value(x).width);
}

int BlockBuilder::expertMatrices(std::string_view name, std::int64_t in, std::int64_t out, Initial initial)
{
    const int index = matrix(name, in, out, initial);
    BlockParameter &made = m_block.parameters[static_cast<std::size_t>(index)];
    made.experts = m_block.routing.experts;
    made.isOfExperts = true;
    made.rows *= made.experts;
    return index;
}

BlockBuilder::Routed BlockBuilder::route(ValueId logits, int bias)
{
    const std::int64_t k = m_block.routing.topK;
    const Routed routed{statistics("gates", k), statistics("routes", 3 * k)};
    m_block.operators.push_back({OperatorKind::Route, {logits}, {routed.gates, routed.routes}, {}, {}});
    if (bias >= 0)
        m_block.operators.back().parameters = {bias};
    return routed;
}

ValueId BlockBuilder::dispatch(std::string_view name, ValueId x, const Routed &routed)
{
    return append(OperatorKind::Dispatch, {x, routed.routes}, name, m_block.value(x).width * m_block.routing.topK);
}

void BlockBuilder::expertLinear(ValueId rows, const Routed &routed, std::vector<Projection> projections)
{
    linear(rows, std::move(projections));
    m_block.operators.back().kind = OperatorKind::ExpertLinear;
    m_block.operators.back().inputs.push_back(routed.routes);
}

ValueId BlockBuilder::expertSwiGlu(std::string_view name, ValueId gate, ValueId up, const Routed &routed)
{
    return append(OperatorKind::ExpertSwiGlu, {gate, up, routed.gates, routed.routes}, name, m_block.value(gate).width);
}

ValueId BlockBuilder::combine(std::string_view name, ValueId rows, const Routed &routed)
{
    return append(OperatorKind::Combine, {rows, routed.routes}, name, m_block.value(rows).width / m_block.routing.topK);
}

Block BlockBuilder::build(ValueId output)
{
    m_block.output = output;
    return std::move(m_block);
}

} // namespace stagelens::operators
