#include "ui/pages/explore_content.h"

#include "engine/service/plans/published.h"
#include "engine/service/search/equal_work.h"
#include "ui/state/forecast.h"
#include "ui/state/lane_groups.h"
#include "ui/state/run_controller.h"
#include "ui/timeline/rows/streams.h"
#include "ui/words/advice/headline.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

ExploreContent::ExploreContent(Forecast *forecast, RunController *runController, Explanations *explanations)
    : m_forecast(forecast), m_runController(runController), m_explanations(explanations)
{}

bool ExploreContent::runDiffers() const
{
    const auto &plan = m_forecast->plan();
    if (!plan || !run())
        return false;
    const auto *hardware = std::get_if<model::HardwarePreset>(&plan->experiment.cost.source);
    return !hardware || hardware->name != "cpu-local" || runIsEmulated() ||
           !m_runController->shownDifferences(plan->experiment).empty();
}

bool ExploreContent::runIsEmulated() const
{
    const service::RunSnapshotPtr shownRun = run();
    return shownRun && shownRun->record.summary.kind != timeline::Provenance::Imported &&
           shownRun->record.experiment.model.dtype != model::DataType::Fp32 &&
           shownRun->record.experiment.training.backend == "cpu";
}

service::RunSnapshotPtr ExploreContent::run() const
{
    const auto &plan = m_forecast->plan();
    return plan ? m_runController->shownBeside(plan->experiment) : m_runController->shown();
}

LaneGroup ExploreContent::measuredGroup() const
{
    const service::RunSnapshot &run = *m_runController->shown();
    LaneGroup group;
    group.timeline = run.record.timeline;
    group.schedule = run.schedule;
    group.metrics = run.record.metrics.value_or(simulate::Metrics{});
    group.caption = m_runController->shownCaption();
    const model::ParallelPlan &parallel = run.record.experiment.parallel;
    if (group.timeline)
        group.mesh = layout::meshOf(parallel, group.timeline->devices());
    const auto &plan = m_forecast->plan();
    if (run.record.operators)
        group.legs = [times = run.record.operators](int device, const schedule::Pass &pass, base::Nanos duration) {
            return simulate::measuredLegs(*times, device, pass, duration);
        };
    group.faded = plan && !m_runController->shownDifferences(plan->experiment).empty();
    return group;
}

TimelineContent ExploreContent::make() const
{
    TimelineContent content;
    addLanes(content);
    const auto &plan = m_forecast->plan();
    if (!plan)
        return content;
    content.teachingUnits = inTeachingUnits(plan->experiment);
    content.stale = m_forecast->isStale();
    content.colourBy = colourBy;
    content.critical = critical;
    if (critical || colourBy == ColourBy::Slack)
        for (LaneGroup &group : content.groups)
            group.why = whyOf(group.timeline);
    addBaseline(content, *plan);
    addMeasuredBaseline(content, *plan);
    if (const service::PublishedResult *published = service::publishedFor(plan->experiment))
        content.published =
            EndFlag{published->iteration, u"%1 %2"_s.arg(caption(timeline::Provenance::Published),
                                                         durationText(published->iteration, content.teachingUnits))};
    addGhost(content);
    addBand(content);
    return content;
}

void ExploreContent::addLanes(TimelineContent &content) const
{
    const auto &plan = m_forecast->plan();
    const service::RunSnapshotPtr run = this->run();
    const bool measured = run && run->record.timeline;
    if (plan && (shown != Shown::Measured || !measured))
        content.groups.push_back(predictedGroup(plan));
    if (!content.groups.empty())
        content.groups.front().movable = movable && !m_forecast->isStale();
    if (measured && shown != Shown::Predicted)
        content.groups.push_back(measuredGroup());
    for (LaneGroup &group : content.groups) {
        group.below = rowsBelow(group, detail);
        group.next = nextDetail(group, detail);
    }
}

void ExploreContent::addBaseline(TimelineContent &content, const service::Prediction &plan) const
{
    const service::PredictionPtr baseline = m_forecast->comparableBaseline();
    if (!baseline)
        return;
    const bool units = content.teachingUnits;
    const service::RunSnapshotPtr run = this->run();
    const base::Nanos step = baseline->metrics.iteration;
    const base::Nanos now = plan.timeline->iteration();
    const int steps = plan.timeline->iterations;
    // An asynchronous baseline fills once; what it takes for another number of steps is not known.
    const bool isAsLong = baseline->metrics.iterations.value_or(1) == steps;
    const base::Nanos end = std::max(step * steps, isAsLong && steps > 1 ? baseline->metrics.makespan : 0);
    QString text = Words::tr("baseline %1").arg(durationText(step, units));
    if (steps > 1)
        text += Words::tr(" a step");
    if (shown == Shown::Measured && run && run->record.timeline)
        text += Words::tr(" (predicted)");
    else if (!service::workDifference(baseline->experiment, plan.experiment).empty())
        text += Words::tr(" of other work");
    else if (baseline->experiment != plan.experiment)
        text += Words::tr(", now %1, %2")
                    .arg(durationText(now, units), changeText(static_cast<double>(now), static_cast<double>(step)));
    content.baseline = EndFlag{end, text};
}

void ExploreContent::pinMeasured()
{
    m_measuredBaseline.reset();
    const service::RunSnapshotPtr pinned = run();
    if (pinned && pinned->record.metrics && !runDiffers())
        m_measuredBaseline = {pinned->record.summary.id, pinned->record.metrics->iteration, m_forecast->plan()->experiment};
}

void ExploreContent::addMeasuredBaseline(TimelineContent &content, const service::Prediction &plan) const
{
    if (!m_measuredBaseline || content.teachingUnits)
        return;
    const auto &[run, end, experiment] = *m_measuredBaseline;
    const service::RunSnapshotPtr shownRun = this->run();
    QString text = Words::tr("baseline measured %1, run %2").arg(durationText(end)).arg(run);
    if (!service::workDifference(experiment, plan.experiment).empty()) {
        text += Words::tr(" of other work");
    } else if (shownRun && shownRun->record.metrics && shownRun->record.summary.id != run && !runDiffers()) {
        const base::Nanos now = shownRun->record.metrics->iteration;
        text +=
            Words::tr(", now %1, %2").arg(durationText(now), changeText(static_cast<double>(now), static_cast<double>(end)));
    }
    content.measuredBaseline = EndFlag{end, text};
}

void ExploreContent::addGhost(TimelineContent &content) const
{
    const auto flag = [&content](const QString &name, base::Nanos end) {
        content.ghost = EndFlag{end, u"%1: %2"_s.arg(name, durationText(end, content.teachingUnits))};
    };
    const service::Advice *advice = m_forecast->advice();
    const FamilyOptions &families = m_forecast->familyOptions();
    if (ghost && !ghostFamily.isEmpty()) {
        for (const FamilyOption &family : families.combined)
            if (qtText(family.family) == ghostFamily && ghost == families.method && family.iteration)
                flag(Words::tr("%1 with %2").arg(familyCaption(family.family), shortName(*ghost)), *family.iteration);
        return;
    }
    const auto *option = advice && ghost ? findOption(*advice, *ghost) : nullptr;
    if (option && option->iteration)
        flag(shortName(*ghost), *option->iteration);
    for (const FamilyOption &family : families.options)
        if (qtText(family.family) == ghostFamily && family.iteration)
            flag(familyCaption(family.family), *family.iteration);
}

SensitivityPtr ExploreContent::sensitivityOfPlan() const
{
    const auto &plan = m_forecast->plan();
    return plan && plan->timeline == sensitivityTimeline ? sensitivity : nullptr;
}

void ExploreContent::addBand(TimelineContent &content) const
{
    const SensitivityPtr known = sensitivityOfPlan();
    if (!known || !known->jitter || content.groups.empty() || content.groups.front().timeline != sensitivityTimeline)
        return;
    const simulate::Quantiles &iteration = known->jitter->iteration;
    content.band = EndBand{iteration.p05, iteration.p95, bandText(iteration, content.teachingUnits)};
    content.groups.front().critical = known->jitter->criticalShare;
}

ExplanationPtr ExploreContent::whyOf(const timeline::TimelinePtr &timeline) const
{
    const auto &plan = m_forecast->plan();
    const auto &run = m_runController->shown();
    std::vector<timeline::TimelinePtr> timelines;
    if (plan)
        timelines.push_back(plan->timeline);
    if (run)
        timelines.push_back(run->record.timeline);
    m_explanations->keep(timelines);
    if (plan && timeline == plan->timeline)
        return m_explanations->of(plan);
    return run && timeline == run->record.timeline ? m_explanations->of(run) : nullptr;
}

} // namespace stagelens::ui
