#include "engine/schedule/families/zb_h.h"

#include "engine/schedule/order/lead_order.h"
#include "engine/schedule/order/squeeze.h"
#include "engine/schedule/order/vocabulary_insertion.h"
#include "engine/schedule/order/zb_rounds.h"

#include <utility>
#include <vector>

namespace stagelens::schedule {

namespace {

/// The handcrafted order, or one made for the durations that is shorter and holds no more than `limit` activations.
base::Result<Schedule> handcraftedOrShorter(std::string_view family, const std::vector<Lead> &leads, std::int64_t limit,
                                            const model::Experiment &experiment, const Durations &durations)
{
    const int microbatches = experiment.parallel.microbatches;
    const LayerOrder handcrafted = leadOrder(leads, microbatches);
    TimedOrder shortest = squeeze(handcrafted, durations, {.freedom = Freedom::None});
    takeShorterRounds(shortest, microbatches, durations, std::vector<std::int64_t>(leads.size(), limit));
    return withVocabularyOfShorter(family, handcrafted, shortest.order, experiment, durations);
}

} // namespace

base::Result<Schedule> zbH1(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    std::vector<Lead> leads;
    for (int device = 0; device < devices; ++device)
        leads.push_back({.forwards = devices - device, .weightLag = device});
    return handcraftedOrShorter("zb-h1", leads, devices, experiment, durations);
}

base::Result<Schedule> zbH2(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    std::vector<Lead> leads;
    for (int device = 0; device < devices; ++device)
        leads.push_back({.forwards = 2 * (devices - device) - 1, .weightLag = 2 * device});
    return handcraftedOrShorter("zb-h2", leads, 2 * devices, experiment, durations);
}

} // namespace stagelens::schedule
