#include "ui/learn/live_simulation.h"

#include "engine/service/predictions/explain.h"

namespace stagelens::ui {

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

} // namespace stagelens::ui
