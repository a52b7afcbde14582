// What expert ranks exchange in a layer, and what a pass of another microbatch hides of it.
#include "engine/simulate/costs/layer_costs.h"
#include "engine/simulate/costs/overlap.h"

#include <algorithm>

namespace stagelens::simulate {

using operators::Operator;
using operators::OperatorKind;

bool LayerCosts::isWeighedEarly(const Operator &op) const
{
    return std::ranges::any_of(m_block.operators, [&op](const Operator &each) {
        return each.kind == OperatorKind::ReturnFromExperts && each.inputs[0] == op.outputs[0];
    });
}

void LayerCosts::appendAllToAll(std::vector<Leg> &legs, std::size_t index, PassHalf half) const
{
    if (half == PassHalf::WeightGradient)
        return;
    const double bytes =
        m_tokens * m_block.routing.topK * m_experiment.model.hidden * operators::elementBytes(m_experiment.model.dtype);
    const bool isSend = m_block.operators[index].kind == OperatorKind::SendToExperts;
    const double seconds = collectiveSeconds(m_hardware, GroupCollective::AllToAll, m_block.expertRanks, m_expertSpan, bytes);
    legs.push_back({index, isSend ? "all-to-all dispatch" : "all-to-all combine", m_expertLoad * seconds, false, true,
                    bytesSent(GroupCollective::AllToAll, m_block.expertRanks, bytes), false, true});
}

double LayerCosts::pairScale(Rebuilds rebuilds) const
{
    if (m_block.expertRanks == 1)
        return 1;
    constexpr int kLayers = 8; // of a stage: enough that its ends count little
    std::vector<LaneLeg> forward;
    std::vector<LaneLeg> backward;
    const auto append = [](std::vector<LaneLeg> &to, const std::vector<Leg> &legs, bool isDeferrable) {
        for (const Leg &leg : legs)
            to.push_back({leg.seconds, leg.isExpert, isDeferrable});
    };
    for (int layer = 0; layer < kLayers; ++layer) {
        append(forward, legs(PassHalf::Forward, false, Rebuilds::Nothing), false);
        append(backward, legs(PassHalf::InputGradient, false, rebuilds), false);
        append(backward, legs(PassHalf::WeightGradient, false, Rebuilds::Nothing), true);
    }
    double apart = 0;
    for (const std::vector<LaneLeg> *pass : {&forward, &backward})
        for (const LaneLeg &leg : *pass)
            apart += leg.seconds;
    return overlappedSeconds(forward, backward) / apart;
}

} // namespace stagelens::simulate
