#include "ui/learn/live_simulation.h"

#include "engine/service/predictions/explain.h"
#include "ui/state/lane_groups.h"
#include "ui/words/words.h"

#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

base::Result<LiveSimulation> simulated(const LivePlan &plan, const model::Experiment &experiment, const std::stop_token &stop)
{
    const auto predict = [&stop](const model::Experiment &one) -> base::Result<service::PredictionPtr> {
        if (base::Problems problems = livePlanProblems(one); !problems.empty())
            return base::Error::invalid(std::move(problems));
        return service::predict(one, service::machineCores(), {stop, {}});
    };
    const bool showsWhy = plan.critical || plan.colourBy == ColourBy::Slack;
    const auto explain = [showsWhy](const service::PredictionPtr &prediction) -> ExplanationPtr {
        if (!showsWhy || !prediction)
            return nullptr;
        auto why = service::explain(*prediction);
        return why ? std::make_shared<const simulate::Explanation>(*std::move(why)) : nullptr;
    };
    const auto first = predict(experiment);
    if (!first)
        return first.error();
    base::Result<service::PredictionPtr> beside = service::PredictionPtr();
    if (!plan.beside.empty())
        beside = predict(besideOf(experiment, plan.beside));
    if (!beside)
        return beside.error();
    return LiveSimulation{*first, *beside, explain(*first), explain(*beside)};
}

TimelineContent contentOf(const LivePlan &plan, const LiveSimulation &simulated)
{
    TimelineContent content;
    for (const auto &[prediction, why] :
         {std::pair(simulated.plan, simulated.why), std::pair(simulated.beside, simulated.whyBeside)}) {
        if (!prediction)
            continue;
        LaneGroup group = predictedGroup(prediction);
        group.caption += u" · "_s + methodName(prediction->experiment);
        group.why = why;
        content.groups.push_back(std::move(group));
    }
    content.stacked = true;
    content.hasFlags = false;
    content.critical = plan.critical;
    content.colourBy = plan.colourBy;
    content.teachingUnits = inTeachingUnits(simulated.plan->experiment);
    return content;
}

Facts factsOf(const LiveSimulation &simulated, const service::Prediction &start)
{
    Facts facts;
    facts.add(start, "start_");
    facts.add(*simulated.plan);
    if (simulated.beside)
        facts.add(*simulated.beside, "other_");
    return facts;
}

QString methodName(const model::Experiment &experiment)
{
    return withMethod(familyCaption(experiment.schedule.family), experiment.schedule.vocabulary);
}

} // namespace stagelens::ui
