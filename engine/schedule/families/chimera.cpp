#include "engine/schedule/families/chimera.h"

#include "engine/schedule/order/stream_order.h"
#include "engine/schedule/order/vocabulary_insertion.h"

#include <fmt/format.h>

namespace stagelens::schedule {

base::Result<Schedule> chimera(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    if (devices % 2 != 0)
        return base::Error::invalid(
            "parallel.devices",
            fmt::format("chimera needs an even number of devices, not {}; give {} or choose 1f1b", devices, devices + 1));
    const auto order = [&](int barriers) {
        const StreamPlan plan{Placement::twoWay(devices, microbatches), microbatches, barriers, 3};
        return shortestStream(plan, devices + barriers, durations);
    };
    return withVocabulary("chimera", order, experiment, durations);
}

} // namespace stagelens::schedule
