#include "tests/fuzz/consumers.h"

#include "engine/exchange/timeline_json.h"
#include "engine/operators/stage_layers.h"
#include "engine/service/engine_service.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/service/predictions/export_text.h"
#include "engine/service/runs/run_durations.h"
#include "tests/fuzz/support.h"

#include <algorithm>

namespace stagelens::fuzz {
namespace {

constexpr std::size_t kMostSlices = 20'000;

void lookUp(const timeline::Timeline &timeline)
{
    for (const timeline::Lane &lane : timeline.lanes) {
        for (const base::Nanos time : {base::Nanos{0}, timeline.makespan(), timeline.makespan() / 2}) {
            require(timeline::firstEndingAfter(lane, time) <= lane.size(), "a slice that is found is there");
            (void)timeline::sliceAt(lane, time, 10);
        }
        if (lane.size() > 0)
            (void)timeline::findSlice(timeline, lane.pass.back(), 0);
    }
}

} // namespace

const model::Experiment &smallExperiment()
{
    static const model::Experiment kExperiment = [] {
        model::Experiment experiment;
        experiment.parallel.devices = 2;
        experiment.parallel.microbatches = 2;
        experiment.cost.source = model::UniformCosts{{{"F", 1.0}, {"B", 2.0}}};
        return operators::resolved(experiment, 2);
    }();
    return kExperiment;
}

void consume(const timeline::TimelinePtr &timeline)
{
    if (timeline->sliceCount() > kMostSlices)
        return;
    store::RunRecord run;
    run.experiment = smallExperiment();
    run.timeline = timeline;
    run.metrics = simulate::Metrics{};
    for (const char *format : {"csv", "chrome-trace", "json"})
        if (const auto text = service::exportText(run, format); !text)
            requireMessage(text.error());
    if (const auto csv = service::durationsCsv(run); !csv)
        requireMessage(csv.error());
    lookUp(*timeline);
    (void)timeline::difference(*timeline, *timeline);
    const auto schedule = service::scheduleOf(smallExperiment());
    require(schedule.ok(), "the fuzzers' plan has a schedule");
    bool inOrder = timeline->devices() == schedule->devices();
    for (int device = 0; inOrder && device < schedule->devices(); ++device)
        inOrder = std::ranges::equal(timeline->lanes[static_cast<std::size_t>(device)].pass, schedule->device(device));
    if (inOrder)
        (void)simulate::computeMetrics(smallExperiment(), *schedule, *timeline, nullptr, 1e12);
}

} // namespace stagelens::fuzz
