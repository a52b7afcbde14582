#include "engine/simulate/costs/layer_exchanges.h"

#include "engine/operators/packing.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/expert_dispatch.h"
#include "engine/simulate/costs/traffic.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace stagelens::simulate {

using operators::Operator;
using operators::OperatorKind;

namespace {

/// Returns how the ranks of a device that differ in some axes lie on nodes.
layout::NodeSpan spanOf(const model::Experiment &experiment, const model::Hardware &hardware, layout::Axes axes)
{
    const auto mesh = layout::meshOf(experiment.parallel, std::max(experiment.parallel.devices, 1));
    return mesh ? layout::nodeSpan(mesh->group(0, axes), hardware.devicesPerNode) : layout::NodeSpan{};
}

} // namespace

LayerExchanges::LayerExchanges(const model::Experiment &experiment, const model::Hardware &hardware,
                               const operators::Block &block, double tokens, double expertLoad, double attention)
    : m_experiment(experiment), m_hardware(hardware), m_block(block), m_split(operators::splitOf(experiment.parallel)),
      m_span(spanOf(experiment, hardware, {layout::Axis::Tensor})),
      m_contextSpan(spanOf(experiment, hardware, {layout::Axis::Context})),
      m_expertSpan(spanOf(experiment, hardware, {layout::Axis::Expert})), m_tokens(tokens), m_expertLoad(expertLoad),
      m_attention(attention)
{}

/// What rebuilds attention gathers keys, or sends its outputs to the ranks of their tokens; the policy `selective` only drops
/// its probabilities, and needs no second gather.
bool LayerExchanges::repeats(const Operator &op, Rebuilds rebuilds) const
{
    if (op.kind == OperatorKind::ReturnFromExperts) // what it returns is not saved
        return false;
    const bool isOfAttention = op.kind == OperatorKind::GatherKeys || op.kind == OperatorKind::HeadsToTokens;
    return rebuilds == Rebuilds::Layer ||
           (rebuilds == Rebuilds::Operators && isOfAttention && m_experiment.schedule.recomputeModules.attention);
}

ExchangeCost LayerExchanges::amongTensorRanks(GroupCollective collective, double bytes) const
{
    return {collectiveSeconds(m_hardware, collective, m_split.ranks, m_span, bytes),
            bytesSent(collective, m_split.ranks, bytes)};
}

void LayerExchanges::append(std::vector<Leg> &legs, std::size_t index, PassHalf half, bool isSplit) const
{
    const Operator &op = m_block.operators[index];
    using operators::Exchange;
    switch (op.kind) {
    case OperatorKind::AllGather:
        if (half == PassHalf::Forward)
            appendOfTensor(legs, index, Exchange::AllGather, op.inputs[0]);
        if (half == PassHalf::InputGradient)
            appendOfTensor(legs, index, Exchange::ReduceScatter, op.inputs[0]);
        break;
    case OperatorKind::ReduceScatter:
        if (half == PassHalf::Forward)
            appendOfTensor(legs, index, Exchange::ReduceScatter, op.outputs[0]);
        if (half == PassHalf::InputGradient)
            appendOfTensor(legs, index, Exchange::AllGather, op.outputs[0]);
        if (half == PassHalf::WeightGradient && isSplit)
            appendOfTensor(legs, index, Exchange::AllGather, op.outputs[0]);
        break;
    case OperatorKind::Replicate:
        if (half == PassHalf::InputGradient)
            appendOfTensor(legs, index, Exchange::AllReduce, op.inputs[0]);
        break;
    case OperatorKind::AllReduce:
        if (half == PassHalf::Forward)
            appendOfTensor(legs, index, Exchange::AllReduce, op.outputs[0]);
        break;
    case OperatorKind::Linear: // gathers its input again
        if (const auto before = operators::beforeGather(m_block, op.inputs[0]);
            half == PassHalf::WeightGradient && before != op.inputs[0])
            appendOfTensor(legs, index, Exchange::AllGather, before);
        break;
    case OperatorKind::TokensToHeads:
    case OperatorKind::HeadsToTokens:
        if (half != PassHalf::WeightGradient)
            appendHeads(legs, index);
        break;
    case OperatorKind::GatherKeys:
        if (isRing())
            return appendRing(legs, index, half);
        if (half == PassHalf::Forward)
            appendOfKeys(legs, index, GroupCollective::AllGather, op.outputs[0]);
        if (half == PassHalf::InputGradient)
            appendOfKeys(legs, index, GroupCollective::ReduceScatter, op.outputs[0]);
        break;
    case OperatorKind::Attention: // gathers the keys again
        if (half == PassHalf::InputGradient && operators::keysOf(m_block, op) != nullptr && !isRing())
            appendOfKeys(legs, index, GroupCollective::AllGather, op.inputs[1]);
        break;
    case OperatorKind::SumChoices:
        if (half == PassHalf::InputGradient)
            appendChoices(legs, index);
        break;
    case OperatorKind::DropRows:
        if (half == PassHalf::Forward)
            appendDrops(legs, index);
        break;
    case OperatorKind::SendToExperts:
    case OperatorKind::ReturnFromExperts: return appendExperts(legs, index, half);
    default: break;
    }
}

ExchangeCost LayerExchanges::sum(PassHalf half, bool isSplit, Rebuilds rebuilds, Among among) const
{
    const std::size_t halves = (isSplit ? kPassHalves : 0) + static_cast<std::size_t>(half);
    const std::size_t place =
        (halves * kRebuilds + static_cast<std::size_t>(rebuilds)) * kAmong + static_cast<std::size_t>(among);
    if (!m_sums[place])
        m_sums[place] = computedSum(half, isSplit, rebuilds, among);
    return *m_sums[place];
}

ExchangeCost LayerExchanges::computedSum(PassHalf half, bool isSplit, Rebuilds rebuilds, Among among) const
{
    std::vector<Leg> legs;
    const int ranks = among == Among::Context ? m_split.context : among == Among::Experts ? m_block.expertRanks : m_split.ranks;
    for (std::size_t op = 0; ranks > 1 && op < m_block.operators.size(); ++op) {
        append(legs, op, half, isSplit);
        if (half == PassHalf::InputGradient && repeats(m_block.operators[op], rebuilds))
            append(legs, op, PassHalf::Forward, isSplit);
    }
    ExchangeCost sum;
    for (const Leg &leg : legs) {
        if (leg.isContext != (among == Among::Context) || leg.isExpert != (among == Among::Experts))
            continue;
        sum.seconds += leg.seconds;
        sum.bytes += leg.bytes;
        sum.latency += leg.latency;
    }
    return sum;
}

void LayerExchanges::appendOfTensor(std::vector<Leg> &legs, std::size_t index, operators::Exchange kind,
                                    operators::ValueId value) const
{
    constexpr std::array kCollectives{GroupCollective::AllGather, GroupCollective::ReduceScatter, GroupCollective::AllReduce};
    const double bytes = m_tokens * m_experiment.model.hidden * operators::elementBytes(m_experiment.model.dtype);
    const ExchangeCost cost = amongTensorRanks(kCollectives[static_cast<std::size_t>(kind)], bytes);
    legs.push_back({index, fmt::format("{} {}", operators::name(kind), m_block.value(value).name), cost.seconds, false, true,
                    cost.bytes, false, false});
}

void LayerExchanges::appendOfKeys(std::vector<Leg> &legs, std::size_t index, GroupCollective collective,
                                  operators::ValueId keys) const
{
    const double all = m_split.context * keyBytes(keys);
    const std::string_view name = collective == GroupCollective::AllGather ? "all-gather" : "reduce-scatter";
    legs.push_back({index, fmt::format("{} {}", name, m_block.value(keys).name),
                    collectiveSeconds(m_hardware, collective, m_split.context, m_contextSpan, all), false, true,
                    bytesSent(collective, m_split.context, all), true, false});
}

void LayerExchanges::appendChoices(std::vector<Leg> &legs, std::size_t index) const
{
    const int ranks = m_split.context * (m_block.routesOwnRows() ? m_split.ranks : 1);
    appendOfRouters(legs, index, "all-gather choices", 4.0 * ranks * m_block.routing.experts); // in float
}

void LayerExchanges::appendDrops(std::vector<Leg> &legs, std::size_t index) const
{
    // A gate in float and the number of its expert.
    appendOfRouters(legs, index, "all-gather gates", 8.0 * m_block.routing.topK * m_tokens * m_split.context);
}

void LayerExchanges::appendOfRouters(std::vector<Leg> &legs, std::size_t index, std::string_view name, double all) const
{
    const bool isFolded = m_block.routesOwnRows();
    const int ranks = m_split.context * (isFolded ? m_split.ranks : 1);
    const layout::NodeSpan span =
        isFolded ? spanOf(m_experiment, m_hardware, {layout::Axis::Tensor, layout::Axis::Context}) : m_contextSpan;
    legs.push_back({index, std::string(name), collectiveSeconds(m_hardware, GroupCollective::AllGather, ranks, span, all),
                    false, true, bytesSent(GroupCollective::AllGather, ranks, all), m_split.context > 1, false});
}

double LayerExchanges::keyBytes(operators::ValueId keys) const
{
    const double parts = isRing() ? 1 : m_split.context; // see operators::partitioned()
    return m_tokens * static_cast<double>(m_block.value(keys).width) / parts *
           operators::elementBytes(m_experiment.model.dtype);
}

double LayerExchanges::hopSeconds(double bytes) const
{
    const bool crosses = m_contextSpan.crossesNodes() && m_hardware.insideNode.name != kHostLink;
    const model::LinkClass &link = crosses ? m_hardware.betweenNodes : m_hardware.insideNode;
    // The tensor ranks beside a rank send at the same time.
    const double rate =
        crosses ? m_hardware.networkRate(std::min(m_split.ranks, m_hardware.devicesPerNode)) : link.bytesPerSecond;
    return static_cast<double>(link.latency) / static_cast<double>(base::kNanosPerSecond) + bytes / rate;
}

void LayerExchanges::appendRing(std::vector<Leg> &legs, std::size_t index, PassHalf half) const
{
    if (half == PassHalf::WeightGradient)
        return;
    // The backward sends gradients beside keys and values, and has twice the attention.
    const int tensors = half == PassHalf::Forward ? 1 : 2;
    const int hops = m_split.context - 1;
    const double bytes = tensors * keyBytes(m_block.operators[index].outputs[0]);
    const double beside = tensors * (m_attention) / m_split.context;
    legs.push_back(
        {index, "ring keys", hops * std::max(0.0, hopSeconds(bytes) - beside), false, true, hops * bytes, true, false});
}

void LayerExchanges::appendHeads(std::vector<Leg> &legs, std::size_t index) const
{
    const operators::Operator &op = m_block.operators[index];
    const bool isBefore = op.kind == operators::OperatorKind::TokensToHeads;
    const operators::ValueId value = isBefore ? op.inputs[0] : op.outputs[0];
    const double bytes =
        m_tokens * static_cast<double>(m_block.value(value).width) * operators::elementBytes(m_experiment.model.dtype);
    legs.push_back({index, isBefore ? "all-to-all qkv" : "all-to-all attention",
                    collectiveSeconds(m_hardware, GroupCollective::AllToAll, m_split.context, m_contextSpan, bytes), false,
                    true, bytesSent(GroupCollective::AllToAll, m_split.context, bytes), true});
}

void LayerExchanges::appendExperts(std::vector<Leg> &legs, std::size_t index, PassHalf half) const
{
    if (half == PassHalf::WeightGradient)
        return;
    const bool isSend = m_block.operators[index].kind == OperatorKind::SendToExperts;
    const bool isToExperts = isSend == (half == PassHalf::Forward); // else gradients of tokens come back
    const auto codec = isToExperts ? operators::codecOf(m_experiment.parallel.dispatchPrecision) : std::nullopt;
    const double row = codec ? 4.0 * static_cast<double>(kernels::packedFloats(*codec, 1, m_experiment.model.hidden))
                             : m_experiment.model.hidden * operators::elementBytes(m_experiment.model.dtype);
    const double once = m_tokens * m_block.heldShare(m_block.operators[index].inputs[0]) * row;
    const int ranks = m_block.expertRanks;
    ExchangeCost cost;
    if (m_experiment.parallel.expertDispatch == model::ExpertDispatch::PerNode) {
        const ExpertPlaces places = expertPlaces(m_experiment.model, ranks, m_expertSpan);
        cost.bytes = once * places.nodes * (m_expertSpan.nodes - 1) / m_expertSpan.nodes;
        cost.seconds = forwardedSeconds(m_hardware, m_expertSpan, cost.bytes, once * places.ranks);
        cost.latency = forwardedSeconds(m_hardware, m_expertSpan, 1, 1);
        if (!m_expertSpan.crossesNodes())
            cost.bytes = bytesSent(GroupCollective::AllToAll, ranks, once * places.ranks);
    } else {
        const double bytes = once * m_block.routing.topK;
        cost = {collectiveSeconds(m_hardware, GroupCollective::AllToAll, ranks, m_expertSpan, bytes),
                bytesSent(GroupCollective::AllToAll, ranks, bytes),
                collectiveSeconds(m_hardware, GroupCollective::AllToAll, ranks, m_expertSpan, 1)};
    }
    legs.push_back({index, isSend ? "all-to-all dispatch" : "all-to-all combine", m_expertLoad * cost.seconds, false, true,
                    cost.bytes, false, true, 0, m_expertLoad * cost.latency});
}

} // namespace stagelens::simulate
