#include "engine/schedule/families/one_f_one_b.h"

#include "engine/schedule/order/interval_order.h"
#include "engine/schedule/order/lead_order.h"
#include "engine/schedule/order/vocabulary_insertion.h"

#include <vector>

namespace stagelens::schedule {

namespace {

/// The passes of a pair begin and end together. With the warm-up of 1F1B, a device would wait for the next one in every pair:
/// each pair of a device needs the gradient of the next device, and gives that device the input of its next pair. Twice the
/// warm-up, as in eager 1F1B, leaves time for both.
LayerOrder pairedOrder(int devices, int microbatches)
{
    std::vector<Lead> leads;
    for (int left = devices; left > 0; --left)
        leads.push_back({.forwards = 2 * left - 1, .hasPairs = true});
    return leadOrder(leads, microbatches);
}

} // namespace

base::Result<Schedule> oneForwardOneBackward(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    if (experiment.schedule.overlappedPairs)
        return withVocabulary("1f1b", pairedOrder(devices, microbatches), experiment, durations);
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
