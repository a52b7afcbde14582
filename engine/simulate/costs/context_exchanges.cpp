// What context ranks exchange in a layer.
#include "engine/simulate/costs/layer_costs.h"

#include <algorithm>

namespace stagelens::simulate {

double LayerCosts::keyBytes(operators::ValueId keys) const
{
    const double parts = isRing() ? 1 : m_split.context; // see operators::partitioned()
    return m_tokens * static_cast<double>(m_block.value(keys).width) / parts *
           operators::elementBytes(m_experiment.model.dtype);
}

double LayerCosts::hopSeconds(double bytes) const
{
    const bool crosses = m_contextSpan.crossesNodes() && m_hardware.insideNode.name != kHostLink;
    const model::LinkClass &link = crosses ? m_hardware.betweenNodes : m_hardware.insideNode;
    // The tensor ranks beside a rank send at the same time.
    const double rate =
        crosses ? m_hardware.networkRate(std::min(m_split.ranks, m_hardware.devicesPerNode)) : link.bytesPerSecond;
    return static_cast<double>(link.latency) / static_cast<double>(base::kNanosPerSecond) + bytes / rate;
}

void LayerCosts::appendRing(std::vector<Leg> &legs, std::size_t index, PassHalf half) const
{
    if (half == PassHalf::WeightGradient)
        return;
    // The backward sends gradients beside keys and values, and has twice the attention.
    const int tensors = half == PassHalf::Forward ? 1 : 2;
    const int hops = m_split.context - 1;
    const double bytes = tensors * keyBytes(m_block.operators[index].outputs[0]);
    const double beside = tensors * (m_layer.attention + m_layer.scores) / m_split.context;
    legs.push_back(
        {index, "ring keys", hops * std::max(0.0, hopSeconds(bytes) - beside), false, true, hops * bytes, true, false});
}

void LayerCosts::appendAllToAll(std::vector<Leg> &legs, std::size_t index) const
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

} // namespace stagelens::simulate
