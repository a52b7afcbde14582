#include "engine/schedule/order/lead_order.h"

#include <algorithm>

namespace stagelens::schedule {

namespace {

std::vector<Pass> deviceOrder(int stage, const Lead &lead, int microbatches)
{
    const bool splits = lead.weightLag >= 0;
    std::vector<Pass> order;
    order.reserve(static_cast<std::size_t>(microbatches) * (splits ? 3 : 2));
    int forward = 0;
    int weight = 0;
    while (forward < std::min(lead.forwards, microbatches))
        order.push_back(makePass(PassKind::F, stage, forward++));
    for (int i = 0; i < microbatches; ++i) {
        if (lead.hasPairs && forward < microbatches) {
            order.push_back(makePass(PassKind::F, stage, forward++));
            order.back().pairedWithNext = true;
            order.push_back(makePass(PassKind::B, stage, i));
            continue;
        }
        order.push_back(makePass(splits ? PassKind::I : PassKind::B, stage, i));
        if (splits && i >= lead.weightLag)
            order.push_back(makePass(PassKind::W, stage, weight++));
        if (forward < microbatches)
            order.push_back(makePass(PassKind::F, stage, forward++));
    }
    while (splits && weight < microbatches)
        order.push_back(makePass(PassKind::W, stage, weight++));
    return order;
}

} // namespace

LayerOrder leadOrder(const std::vector<Lead> &leads, int microbatches)
{
    LayerOrder order{Placement::linear(static_cast<int>(leads.size())), {}};
    for (std::size_t device = 0; device < leads.size(); ++device)
        order.devices.push_back(deviceOrder(static_cast<int>(device), leads[device], microbatches));
    return order;
}

} // namespace stagelens::schedule
