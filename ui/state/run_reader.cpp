#include "ui/state/run_reader.h"

#include "engine/operators/stage_layers.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/service/predictions/explain.h"
#include "ui/words/differences.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace stagelens::ui {

namespace {

/// Runs of a plan are looked for among the newest.
constexpr std::size_t kRunsLookedAt = 2000;

base::Result<std::vector<store::RunSummary>> readFirstRows(service::StoredRuns &stored, const store::RunList &list,
                                                           std::size_t most)
{
    return stored.summaries(std::span(list.ids).first(std::min(list.ids.size(), most)));
}

} // namespace

base::Result<RunTable> readTable(service::StoredRuns &stored, const store::RunQuery &query)
{
    auto list = stored.find(query);
    if (!list)
        return std::move(list).error();
    auto rows = readFirstRows(stored, *list, kRowsOfPage);
    if (!rows)
        return std::move(rows).error();
    return RunTable{*std::move(list), *std::move(rows), true};
}

base::Result<service::RunSnapshotPtr> readRun(service::StoredRuns &stored, store::RunId run, std::optional<int> step)
{
    auto record = stored.load(run, step);
    if (!record)
        return std::move(record).error();
    auto snapshot = std::make_shared<service::RunSnapshot>();
    snapshot->record = *std::move(record);
    snapshot->step = snapshot->record.summary.stepsDone;
    snapshot->steps = snapshot->record.summary.stepsPlanned;
    snapshot->finished = snapshot->record.summary.status != store::RunStatus::Running;
    const timeline::TimelinePtr &timeline = snapshot->record.timeline;
    if (auto made = service::scheduleOf(snapshot->record.experiment);
        made && (!timeline || service::checkOrder(*timeline, *made)))
        snapshot->schedule = std::make_shared<const schedule::Schedule>(*std::move(made));
    return service::RunSnapshotPtr(std::move(snapshot));
}

base::Result<std::vector<store::RunSummary>> findRunsOf(service::StoredRuns &stored, const PlanQuery &query)
{
    const auto all = stored.find({}); // whatever the table is filtered by
    if (!all)
        return all.error();
    auto rows = readFirstRows(stored, *all, kRunsLookedAt);
    if (!rows)
        return rows;
    const model::Experiment &plan = query.plan;
    std::vector<store::RunSummary> found;
    for (store::RunSummary &run : *rows) {
        if (found.size() == query.most)
            break;
        const bool isAlike = run.family == plan.schedule.family && run.vocabulary == plan.schedule.vocabulary &&
                             run.devices == plan.parallel.devices && run.microbatches == plan.parallel.microbatches;
        if (!isAlike || run.stepsDone == 0 || query.without.contains(run.id))
            continue;
        const auto experiment = stored.experiment(run.id);
        if (experiment && planDifferences(operators::resolved(*experiment, query.cores), plan).empty())
            found.push_back(std::move(run));
    }
    return found;
}

} // namespace stagelens::ui
