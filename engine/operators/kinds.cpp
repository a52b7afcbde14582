#include "engine/operators/kinds.h"

#include "engine/operators/recipe.h"

#include <algorithm>
#include <array>

namespace stagelens::operators {
namespace {

double widthOf(const Block &block, ValueId value)
{
    return static_cast<double>(block.heldWidth(value));
}

/// Returns the numbers of the matrices that compute a token.
OperatorWork productWork(const Block &block, const Operator &op)
{
    double entries = 0;
    for (const Projection &projection : op.projections) {
        const BlockParameter &weight = block.parameter(projection.weight);
        const std::int64_t used = weight.isOfExperts ? block.routing.topK : 1; // the matrices of k experts
        entries += static_cast<double>(weight.count() / weight.experts * used);
    }
    entries *= block.heldShare(op.inputs[0]);
    if (!isOf8Bits(block, op))
        return {.matrixEntries = entries};
    double gradients = 0;
    for (const ValueId out : op.outputs)
        gradients += widthOf(block, out);
    const bool isOfExperts = op.kind == OperatorKind::ExpertLinear;
    const double rows = isOfExperts && block.expertRanks > 1 ? block.routing.topK / static_cast<double>(block.expertRows) : 1;
    return {.matrixEntries = entries,
            .eightBitEntries = entries,
            .castNumbers = widthOf(block, op.inputs[0]) * rows,
            .castGradients = gradients * rows};
}

/// Scores as wide as keys, sums as wide as values.
OperatorWork latentWork(const Block &block, const Operator &op)
{
    const double values = widthOf(block, op.outputs[0]);
    const double heads = widthOf(block, op.outputs[1]);
    const double keys = widthOf(block, op.inputs[1]) - values + heads * widthOf(block, op.inputs[2]);
    return {.attentionWidth = (keys + values) / 2};
}

/// Of as many rows as there are on average.
OperatorWork gatedWork(const Block &block, const Operator &op)
{
    const double rows = block.expertRanks > 1 ? block.routing.topK / static_cast<double>(block.expertRows) : 1;
    return {.gatedNumbers = 3 * widthOf(block, op.inputs[0]) * rows};
}

template <int Numbers>
OperatorWork residualWork(const Block &block, const Operator &op)
{
    return {.residualNumbers = Numbers * widthOf(block, op.inputs[0])};
}

template <int Numbers>
OperatorWork innerWork(const Block &block, const Operator &op)
{
    return {.innerNumbers = Numbers * widthOf(block, op.inputs[0])};
}

OperatorWork routedWork(const Block &block, const Operator &op)
{
    return {.routedNumbers = widthOf(block, op.inputs[0]) + widthOf(block, op.outputs[0])};
}

OperatorWork attentionWork(const Block &block, const Operator &op)
{
    return {.attentionWidth = widthOf(block, op.outputs[0]), .probabilities = static_cast<double>(probabilityWidth(block, op))};
}

constexpr unsigned kAll = Operands::kAll;
/// In the order of OperatorKind. Rotary's work is part of the efficiency of attention in the hardware presets. The second half
/// of Combine gathers the gradient again. Exchanges have no launches and no work: their time is that of a network. KeepKeys
/// copies a part of what attention reads.
const std::array<Description, static_cast<std::size_t>(OperatorKind::DropRows) + 1> kDescriptions{
    {{"layer-norm", Module::Norm, {2, 4, 0}, {0b1, 0b10}, {}, residualWork<2>},
     {"rms-norm", Module::Norm, {2, 4, 0}, {0b1, 0b10}, {}, residualWork<2>},
     {"linear", Module::None, {2, 2, 4}, {}, {0b1}, productWork},
     {"activation", Module::Activation, {2, 2, 0}, {kAll}, {}, innerWork<2>},
     {"swiglu", Module::Activation, {2, 2, 0}, {kAll}, {}, innerWork<3>},
     {"rotary", Module::None, {2, 2, 0}, {}, {}, nullptr},
     {"attention", Module::Attention, {4, 4, 0}, {0b1, kAll}, {}, attentionWork},
     {"latent-attention", Module::Attention, {4, 4, 0}, {kAll, kAll}, {}, latentWork},
     {"add", Module::None, {1, 1, 0}, {}, {}, residualWork<3>},
     {"route", Module::None, {4, 4, 0}, {0b1, 0b11}, {}, innerWork<1>}, // softmax, choice and sorting
     {"dispatch", Module::None, {1, 1, 0}, {0b10}, {}, routedWork},
     {"expert-linear", Module::None, {2, 2, 4}, {0b10}, {kAll}, productWork},
     {"expert-swiglu", Module::None, {2, 2, 0}, {kAll}, {}, gatedWork},
     {"combine", Module::None, {1, 1, 0}, {0b10}, {0b10}, routedWork},
     {"all-gather", Module::None, {}, {}, {}, nullptr},
     {"reduce-scatter", Module::None, {}, {}, {}, nullptr},
     {"replicate", Module::None, {}, {}, {}, nullptr},
     {"all-reduce", Module::None, {}, {}, {}, nullptr},
     {"gather-keys", Module::None, {}, {}, {}, nullptr},
     {"tokens-to-heads", Module::None, {}, {}, {}, nullptr},
     {"heads-to-tokens", Module::Attention, {}, {}, {}, nullptr},
     {"send-to-experts", Module::None, {}, {0b100, 0b100}, {}, nullptr},
     {"return-from-experts", Module::None, {}, {0b110}, {}, nullptr},
     {"keep-keys", Module::None, {}, {}, {}, nullptr},
     {"sum-choices", Module::None, {}, {}, {}, nullptr},
     {"drop-rows", Module::None, {}, {}, {}, nullptr}}};

std::vector<ValueId> valuesOf(const Operator &op, const Operands &operands)
{
    std::vector<ValueId> values;
    const auto take = [&values](const std::vector<ValueId> &from, unsigned bits) {
        for (std::size_t i = 0; i < from.size(); ++i)
            if ((bits >> i & 1U) != 0)
                values.push_back(from[i]);
    };
    take(op.inputs, operands.inputs);
    take(op.outputs, operands.outputs);
    return values;
}

} // namespace

const Description &descriptionOf(OperatorKind kind)
{
    return kDescriptions[static_cast<std::size_t>(kind)];
}

std::string_view name(const Operator &op)
{
    return op.kind == OperatorKind::Activation ? kernels::name(op.activation) : descriptionOf(op.kind).name;
}

OperatorWork workOf(const Block &block, const Operator &op)
{
    const auto work = descriptionOf(op.kind).work;
    return work != nullptr ? work(block, op) : OperatorWork{};
}

OperatorWork workOf(const Block &block)
{
    OperatorWork sum;
    for (const Operator &op : block.operators) {
        const OperatorWork work = workOf(block, op);
        sum.matrixEntries += work.matrixEntries;
        sum.eightBitEntries += work.eightBitEntries;
        sum.castNumbers += work.castNumbers;
        sum.castGradients += work.castGradients;
        sum.attentionWidth += work.attentionWidth;
        sum.residualNumbers += work.residualNumbers;
        sum.innerNumbers += work.innerNumbers;
        sum.routedNumbers += work.routedNumbers;
        sum.gatedNumbers += work.gatedNumbers;
        sum.probabilities += work.probabilities;
    }
    return sum;
}

BackwardReads backwardReads(const Block &block, const Operator &op)
{
    const Description &description = descriptionOf(op.kind);
    BackwardReads reads{valuesOf(op, description.reads), valuesOf(op, description.weightReads)};
    for (ValueId &value : reads.weight)
        value = beforeGather(block, value);
    return reads;
}

Launches launchesOf(const Operator &op)
{
    const Launches each = descriptionOf(op.kind).launches;
    const int count = op.projections.empty() ? 1 : static_cast<int>(op.projections.size());
    return {each.forward * count, each.input * count, each.weight * count};
}

bool isOf8Bits(const Block &block, const Operator &op)
{
    if (op.kind == OperatorKind::ExpertLinear)
        return true;
    const auto routes = [&op](const Operator &each) {
        return each.kind == OperatorKind::Route && each.inputs[0] == op.outputs[0];
    };
    return op.kind == OperatorKind::Linear && std::ranges::none_of(block.operators, routes);
}

std::int64_t eightBitParameters(const Block &block)
{
    std::int64_t count = 0;
    for (const Operator &op : block.operators)
        for (const Projection &projection : op.projections)
            count += isOf8Bits(block, op) ? block.parameters[static_cast<std::size_t>(projection.weight)].count() : 0;
    return count;
}

} // namespace stagelens::operators
