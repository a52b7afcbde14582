#include "engine/service/predictions/export_text.h"

#include "engine/exchange/timeline_json.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/service/predictions/explain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagelens::service {

base::Result<std::string> exportText(const TimedPlan &plan, const std::string &format)
{
    if (format == "csv")
        return exchange::timelineCsv(plan.timeline);
    const auto explanation = explain(plan.experiment, plan.timeline);
    const simulate::Explanation *why = explanation ? &*explanation : nullptr;
    // If the timeline does not follow the schedule, memory and messages cannot be derived from the schedule.
    const schedule::Schedule *schedule =
        plan.schedule != nullptr && checkOrder(plan.timeline, *plan.schedule) ? plan.schedule : nullptr;
    if (format == "chrome-trace") {
        std::vector<simulate::MemoryProfile> memory;
        for (int device = 0; schedule != nullptr && plan.experiment.hasModel && device < plan.timeline.devices(); ++device)
            memory.push_back(simulate::memoryProfile(plan.experiment, *schedule, plan.timeline, device));
        return exchange::chromeTrace(plan.timeline, {memory, why, schedule});
    }
    if (format == "json")
        return exchange::timelineDocument(plan.experiment, plan.timeline, plan.metrics, true, why)
                   .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
               '\n';
    return base::Error::invalid("format", fmt::format("is {}; choose chrome-trace, csv or json", format));
}

base::Result<std::string> exportText(const store::RunRecord &run, const std::string &format)
{
    if (!run.timeline || !run.metrics)
        return base::Error::failed(fmt::format("run {} has no finished step, so there is nothing to export", run.summary.id));
    const auto schedule = scheduleOf(run.experiment);
    return exportText({run.experiment, schedule ? &*schedule : nullptr, *run.timeline, *run.metrics}, format);
}

} // namespace stagelens::service
