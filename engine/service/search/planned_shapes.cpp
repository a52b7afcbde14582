#include "engine/service/search/planned_shapes.h"

#include "engine/service/search/all_cores.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace stagelens::service {
namespace {

using base::Bytes;
using base::Nanos;

/// How promising an examined plan is; less is better.
std::tuple<int, Nanos, Bytes> rankOf(const ExaminedPlan &plan, const std::optional<Bytes> &limit)
{
    const Bytes memory = plan.peakMemory.value_or(0);
    const bool fits = !limit || memory <= *limit;
    switch (plan.examination) {
    case Examination::Simulated: return {fits ? 0 : 2, fits ? plan.iteration : 0, memory};
    case Examination::Beaten:
    case Examination::LeftOut: return {1, plan.iteration, memory};
    case Examination::TooLarge: return {3, 0, memory};
    case Examination::Refused: break;
    }
    return {4, 0, 0};
}

void predictShape(PlannedShape &shape, const std::optional<Bytes> &limit, const std::stop_token &stop)
{
    const auto prediction = predict(shape.experiment, machineCores(), {stop, {}});
    if (!prediction) {
        const base::Error &error = prediction.error();
        shape.refusal = error.problems.empty() ? error.text() : error.problems.front().message;
        return;
    }
    shape.metrics = (*prediction)->metrics;
    if (!shape.metrics->peakMemory.empty())
        shape.memory = std::ranges::max(shape.metrics->peakMemory);
    shape.fits = !limit || shape.memory.value_or(0) <= *limit;
}

} // namespace

bool isSameShape(const model::ParallelPlan &one, const model::ParallelPlan &other)
{
    return one.devices == other.devices && one.tensor == other.tensor && one.context == other.context &&
           one.replicas == other.replicas;
}

std::vector<PlannedShape> plannedShapes(const std::vector<model::Experiment> &plans, const std::vector<ExaminedPlan> &examined,
                                        const std::optional<Bytes> &limit, const std::stop_token &stop)
{
    std::vector<const ExaminedPlan *> best;
    for (const ExaminedPlan &each : examined) {
        const auto known = std::ranges::find_if(best, [&](const ExaminedPlan *other) {
            return isSameShape(plans[other->plan].parallel, plans[each.plan].parallel);
        });
        if (known == best.end())
            best.push_back(&each);
        else if (rankOf(each, limit) < rankOf(**known, limit))
            *known = &each;
    }
    std::vector<PlannedShape> shapes(best.size());
    onAllCores(best.size(), [&](std::size_t i) {
        const ExaminedPlan &each = *best[i];
        PlannedShape &shape = shapes[i];
        shape.experiment = plans[each.plan];
        shape.memory = each.peakMemory;
        shape.refusal = each.reason;
        if (each.examination == Examination::Refused)
            return;
        shape.experiment.parallel.stageLayers = each.stageLayers;
        if (each.examination != Examination::TooLarge && !stop.stop_requested())
            predictShape(shape, limit, stop);
    });
    std::ranges::stable_sort(shapes, {}, [](const PlannedShape &shape) {
        return std::tuple(!shape.fits, shape.metrics ? shape.metrics->iteration : std::numeric_limits<Nanos>::max(),
                          shape.memory.value_or(std::numeric_limits<Bytes>::max()));
    });
    return shapes;
}

} // namespace stagelens::service
