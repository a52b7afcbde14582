#include "engine/schedule/zb_h.h"

#include "engine/schedule/lead_order.h"
#include "engine/schedule/vocabulary_insertion.h"

namespace stagelens::schedule {

base::Result<Schedule> zbH1(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    std::vector<Lead> leads;
    for (int device = 0; device < devices; ++device)
        leads.push_back({.forwards = devices - device, .weightLag = device});
    return withVocabulary("zb-h1", leadOrder(leads, experiment.parallel.microbatches), experiment, durations);
}

base::Result<Schedule> zbH2(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    std::vector<Lead> leads;
    for (int device = 0; device < devices; ++device)
        leads.push_back({.forwards = 2 * (devices - device) - 1, .weightLag = 2 * device});
    return withVocabulary("zb-h2", leadOrder(leads, experiment.parallel.microbatches), experiment, durations);
}

} // namespace stagelens::schedule
