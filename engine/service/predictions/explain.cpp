#include "engine/service/predictions/explain.h"

#include "engine/model/what_if.h"
#include "engine/service/plans/schedule_plan.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::service {

base::Result<> checkOrder(const timeline::Timeline &timeline, const schedule::Schedule &schedule)
{
    if (timeline.devices() != schedule.devices())
        return base::Error::failed(fmt::format("the timeline has {} devices but its schedule has {}; it cannot be explained",
                                               timeline.devices(), schedule.devices()));
    for (int device = 0; device < schedule.devices(); ++device)
        if (!std::ranges::equal(timeline.lanes[static_cast<std::size_t>(device)].pass, schedule.device(device)))
            return base::Error::failed(fmt::format(
                "device {} ran other passes, or in another order, than its schedule has now; the timeline cannot be explained",
                device));
    return {};
}

base::Result<simulate::Explanation> explain(const Prediction &prediction)
{
    return simulate::explain(*prediction.timeline, *prediction.schedule, *prediction.costs);
}

base::Result<simulate::Explanation> explain(const model::Experiment &experiment, const timeline::Timeline &measured)
{
    const auto schedule = scheduleOf(experiment);
    if (!schedule)
        return schedule.error();
    if (const auto checked = checkOrder(measured, *schedule); !checked)
        return checked.error();
    const auto costs = simulate::makeCostModel(experiment, *schedule);
    if (!costs)
        return costs.error();
    return simulate::explain(measured, *schedule, *costs);
}

simulate::BubbleCauses splitBubble(const Prediction &prediction)
{
    if (!model::changesTimes(prediction.experiment.whatIf))
        return simulate::bubbleCauses(*prediction.schedule, *prediction.costs);
    const auto planned = simulate::plannedCosts(prediction.experiment, *prediction.schedule);
    return simulate::bubbleCauses(*prediction.schedule, *prediction.costs, planned ? &*planned : nullptr);
}

} // namespace stagelens::service
