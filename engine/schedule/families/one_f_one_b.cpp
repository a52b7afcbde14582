#include "engine/schedule/families/one_f_one_b.h"

#include "engine/schedule/order/interval_order.h"
#include "engine/schedule/order/lead_order.h"
#include "engine/schedule/order/vocabulary_insertion.h"

#include <vector>

namespace stagelens::schedule {

base::Result<Schedule> oneForwardOneBackward(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    const auto published = [&](int barriers) {
        const std::vector<Interval> intervals =
            oneForwardOneBackwardIntervals(devices, durations.pass(PassKind::F, 0), durations.pass(PassKind::B, 0));
        std::vector<std::vector<Pass>> orders;
        orders.reserve(intervals.size());
        for (int device = 0; device < devices; ++device)
            orders.push_back(intervalOrder(intervals, device, microbatches, barriers));
        return orders;
    };
    const auto placed = [&](int barriers) {
        std::vector<Lead> leads;
        for (int left = devices; left > 0; --left)
            leads.push_back({.forwards = left});
        return withBarriers(leadOrder(leads, microbatches), barriers);
    };
    return publishedOrShorter("1f1b", Placement::linear(devices), published, placed, experiment, durations);
}

} // namespace stagelens::schedule
