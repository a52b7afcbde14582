#include "engine/schedule/families/hanayo.h"

#include "engine/model/family_shape.h"
#include "engine/schedule/order/stream_order.h"
#include "engine/schedule/order/vocabulary_insertion.h"

namespace stagelens::schedule {

base::Result<Schedule> hanayo(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    const int chunks = model::stagesPerDevice(experiment.schedule);
    const auto order = [&](int barriers) {
        const StreamPlan plan{Placement::zigzag(devices, chunks), microbatches, barriers, 3 * chunks};
        return shortestStream(plan, chunks * (devices + barriers), durations);
    };
    return withVocabulary("hanayo", order, experiment, durations);
}

} // namespace stagelens::schedule
