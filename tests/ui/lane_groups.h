// Lanes of small simulated plans, for the tests of the timeline.
#pragma once

#include "engine/model/experiment.h"
#include "engine/schedule/families.h"
#include "engine/simulate/simulate.h"
#include "ui/timeline/timeline_view.h"

#include <memory>

namespace stagelens::test {

inline ui::LaneGroup makeGroup(int devices, int microbatches, model::VocabularyMethod method, base::Nanos unit = 1'000'000)
{
    model::Experiment experiment;
    experiment.hasModel = false;
    experiment.parallel.devices = devices;
    experiment.parallel.microbatches = microbatches;
    experiment.schedule.vocabulary = method;
    auto made = schedule::makeSchedule(experiment);
    if (!made)
        qFatal("%s", made.error().text().c_str());
    auto plan = std::make_shared<const schedule::Schedule>(std::move(made).value());
    simulate::CostModel costs(devices, plan->stages());
    costs.vocabularyKnown = true;
    for (int device = 0; device < devices; ++device) {
        const base::Nanos hidden = device + 1 == devices && !model::traits(method).isSharded ? unit : 0;
        costs.setPass(device, schedule::PassKind::F, device, {unit + hidden, hidden});
        costs.setPass(device, schedule::PassKind::B, device, {2 * unit + hidden, hidden});
        for (const auto kind : {schedule::PassKind::S, schedule::PassKind::T, schedule::PassKind::EF, schedule::PassKind::EB})
            costs.setPass(device, kind, device, {unit / 4, unit / 4});
    }
    auto simulated = simulate::simulate(*plan, costs);
    if (!simulated)
        qFatal("%s", simulated.error().text().c_str());
    ui::LaneGroup group;
    group.timeline = std::make_shared<const timeline::Timeline>(std::move(simulated).value());
    group.schedule = plan;
    group.caption = QStringLiteral("Predicted");
    group.metrics.makespan = group.timeline->makespan();
    for (const timeline::Lane &lane : group.timeline->lanes) {
        base::Nanos busy = 0;
        for (std::size_t i = 0; i < lane.size(); ++i)
            busy += lane.end[i] - lane.begin[i];
        group.metrics.busyPerDevice.push_back(busy);
        group.metrics.bubbleRatioPerDevice.push_back(1 -
                                                     static_cast<double>(busy) / static_cast<double>(group.metrics.makespan));
    }
    return group;
}

inline ui::LaneGroup measured(ui::LaneGroup group)
{
    timeline::Timeline slower = *group.timeline;
    slower.provenance = timeline::Provenance::MeasuredVirtualClock;
    for (timeline::Lane &lane : slower.lanes) {
        for (std::size_t i = 0; i < lane.size(); ++i) {
            lane.begin[i] += lane.begin[i] / 10;
            lane.end[i] += lane.end[i] / 10;
        }
    }
    group.timeline = std::make_shared<const timeline::Timeline>(std::move(slower));
    group.caption = QStringLiteral("Virtual clock · run 1");
    return group;
}

} // namespace stagelens::test
