#include "engine/schedule/families/pipedream.h"

#include "engine/schedule/order/lead_order.h"

#include <fmt/format.h>

namespace stagelens::schedule {

namespace {

base::Result<Schedule> asynchronous(std::string_view family, const model::Experiment &experiment, WeightUpdate update)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    if (update == WeightUpdate::DoubleBuffered && microbatches < devices)
        return base::Error::invalid("parallel.microbatches",
                                    fmt::format("{} needs a microbatch for each of the {} devices, or its weights would be "
                                                "more than one step stale; give {} or more microbatches",
                                                family, devices, devices));
    std::vector<Lead> leads;
    for (int left = devices; left > 0; --left)
        leads.push_back({.forwards = left});
    // The order of several iterations is that of all their microbatches, for the pipeline does not drain between them.
    const int iterations = experiment.schedule.iterations;
    const LayerOrder order = leadOrder(leads, microbatches * iterations);
    return Schedule(std::string(family), order.placement, microbatches * iterations, experiment.schedule.vocabulary,
                    order.devices, update)
        .asIterations(iterations);
}

} // namespace

base::Result<Schedule> pipedream(const model::Experiment &experiment, const Durations & /*durations*/)
{
    return asynchronous("pipedream", experiment, WeightUpdate::EachMicrobatch);
}

base::Result<Schedule> pipedream2bw(const model::Experiment &experiment, const Durations & /*durations*/)
{
    return asynchronous("pipedream-2bw", experiment, WeightUpdate::DoubleBuffered);
}

} // namespace stagelens::schedule
