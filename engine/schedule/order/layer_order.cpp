#include "engine/schedule/order/layer_order.h"

#include <algorithm>
#include <utility>

namespace stagelens::schedule {

namespace {

/// One device's order with `lead` more forwards at the front.
std::vector<Pass> withLead(const std::vector<Pass> &passes, std::size_t lead)
{
    std::vector<Pass> forwards;
    for (const Pass &pass : passes)
        if (pass.kind == PassKind::F)
            forwards.push_back(pass);
    lead = std::min(lead, forwards.size());
    std::vector<Pass> moved;
    moved.reserve(passes.size());
    moved.insert(moved.end(), forwards.begin(), forwards.begin() + static_cast<std::ptrdiff_t>(lead));
    for (Pass &forward : moved)
        forward.pairedWithNext = false;
    std::size_t next = lead;
    for (const Pass &pass : passes) {
        if (pass.kind != PassKind::F) {
            moved.push_back(pass);
            // The second pass of the pair may be a forward that was moved away.
            moved.back().pairedWithNext = pass.pairedWithNext && next < forwards.size();
        } else if (next < forwards.size()) {
            moved.push_back(forwards[next++]);
            moved.back().pairedWithNext = pass.pairedWithNext;
        }
    }
    return moved;
}

} // namespace

void takeIfShorter(TimedOrder &best, TimedOrder &&other)
{
    if (other.makespan < best.makespan)
        best = std::move(other);
}

LayerOrder withBarriers(const LayerOrder &order, int barriers)
{
    LayerOrder moved{order.placement, {}};
    const auto lead = static_cast<std::size_t>(barriers) * static_cast<std::size_t>(order.placement.chunks());
    for (const std::vector<Pass> &passes : order.devices)
        moved.devices.push_back(withLead(passes, lead));
    return moved;
}

} // namespace stagelens::schedule
