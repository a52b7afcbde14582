#include "engine/schedule/families/eager.h"

#include "engine/schedule/order/lead_order.h"
#include "engine/schedule/order/vocabulary_insertion.h"

namespace stagelens::schedule {

base::Result<Schedule> eager(const model::Experiment &experiment, const Durations &durations)
{
    std::vector<Lead> leads;
    for (int left = experiment.parallel.devices; left > 0; --left)
        leads.push_back({.forwards = 2 * left - 1});
    return withVocabulary("eager-1f1b", leadOrder(leads, experiment.parallel.microbatches), experiment, durations);
}

} // namespace stagelens::schedule
