#include "ui/learn/live_simulation.h"

#include "engine/service/predictions/explain.h"
#include "engine/simulate/costs/pass_legs.h"
#include "ui/state/lane_groups.h"
#include "ui/words/words.h"

#include <algorithm>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr base::Nanos kRoom = 16; ///< of a part: a sixteenth of it stays free at either side

bool isMeant(const schedule::Pass &pass, const CloseUp &closeUp)
{
    return (!closeUp.microbatch || pass.microbatch == *closeUp.microbatch) && (!closeUp.kind || pass.kind == *closeUp.kind);
}

/// Narrows a pass to the operators that are meant; nothing if it has none of them.
std::optional<TimelinePart> operatorsOf(const std::vector<simulate::PassLeg> &legs, const TimelinePart &pass,
                                        const std::string &names)
{
    std::optional<TimelinePart> part;
    for (const simulate::PassLeg &leg : legs) {
        if (!leg.name.starts_with(names))
            continue;
        if (!part)
            part = TimelinePart{pass.begin + leg.begin, 0, 0, 0, pass.first};
        part->end = pass.begin + leg.end;
        part->time += leg.end - leg.begin;
        part->flops += leg.flops;
    }
    return part;
}

} // namespace

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
    if (const auto other = besideOf(plan, experiment))
        beside = predict(*other);
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
    content.axis = plan.axis;
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

std::optional<TimelinePart> partOf(const TimelineContent &content, const LivePlan &plan)
{
    if (!plan.closeUp || content.groups.empty())
        return std::nullopt;
    const CloseUp &closeUp = *plan.closeUp;
    const LaneGroup &group = content.groups.front();
    if (closeUp.device >= group.timeline->devices() || !group.legs)
        return std::nullopt;
    const timeline::Lane &lane = laneOf(group, closeUp.device);
    std::optional<TimelinePart> part;
    for (std::size_t i = 0; i < lane.size(); ++i) {
        if (!isMeant(lane.pass[i], closeUp))
            continue;
        const base::Nanos time = lane.end[i] - lane.begin[i];
        const std::vector<simulate::PassLeg> legs = group.legs(closeUp.device, lane.pass[i], time);
        if (!part)
            part = TimelinePart{lane.begin[i], 0, 0, 0, {closeUp.device, i}};
        if (!closeUp.operators.isEmpty())
            return operatorsOf(legs, *part, utf8(closeUp.operators));
        part->end = std::max(part->end, lane.end[i]);
        part->time += time;
        for (const simulate::PassLeg &leg : legs)
            part->flops += leg.flops;
        if (closeUp.kind)
            break; // one pass
    }
    return part;
}

std::pair<base::Nanos, base::Nanos> rangeOf(const TimelinePart &part)
{
    const base::Nanos room = (part.end - part.begin) / kRoom;
    return {part.begin - room, part.end + room};
}

} // namespace stagelens::ui
