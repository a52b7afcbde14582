#include "ui/state/explanations.h"

#include "engine/service/predictions/explain.h"
#include "ui/state/engine_bridge.h"

#include <algorithm>
#include <utility>

namespace stagelens::ui {

namespace {

using Explained = base::Result<simulate::Explanation>;

ExplanationPtr pointerTo(Explained explained)
{
    return explained ? std::make_shared<const simulate::Explanation>(*std::move(explained)) : nullptr;
}

} // namespace

Explanations::Explanations(EngineBridge *bridge, QObject *parent) : QObject(parent), m_bridge(bridge) {}

ExplanationPtr Explanations::of(const service::PredictionPtr &plan)
{
    return find(plan->timeline, plan->experiment, [plan] { return service::explain(*plan); });
}

ExplanationPtr Explanations::of(const service::RunSnapshotPtr &run)
{
    return find(run->record.timeline, run->record.experiment,
                [run] { return service::explain(run->record.experiment, *run->record.timeline); });
}

ExplanationPtr Explanations::find(const timeline::TimelinePtr &timeline, const model::Experiment &experiment, Work work)
{
    if (const auto known = m_known.find(timeline); known != m_known.end())
        return known->second;
    if (isComputing(timeline))
        return nullptr;
    const bool readsFile =
        std::holds_alternative<model::DurationsFile>(experiment.cost.source) || !experiment.schedule.file.empty();
    if (timeline->sliceCount() <= kSlicesAtOnce && !readsFile && experiment.schedule.family != model::kAutomaticFamily)
        return m_known[timeline] = pointerTo(work());
    m_jobs[timeline] = m_bridge->compute(
        this, [work = std::move(work)](const std::stop_token &) { return work(); },
        [this, timeline](Explained explained) {
            if (m_jobs.erase(timeline) == 0)
                return; // it is not shown any more
            m_known[timeline] = pointerTo(std::move(explained));
            emit arrived();
        });
    return nullptr;
}

void Explanations::keep(const std::vector<timeline::TimelinePtr> &timelines)
{
    const auto isOther = [&](const auto &entry) { return std::ranges::find(timelines, entry.first) == timelines.end(); };
    std::erase_if(m_known, isOther);
    for (const auto &[timeline, job] : m_jobs)
        if (std::ranges::find(timelines, timeline) == timelines.end())
            m_bridge->service().cancel(job);
    std::erase_if(m_jobs, isOther);
}

} // namespace stagelens::ui
