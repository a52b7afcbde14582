// The schedule that an experiment means: made for its costs where the order looks at them, and within its memory limit.
#include "tests/support/simulate_support.h"

#include "engine/simulate/memory.h"
#include "engine/simulate/metrics.h"
#include "engine/simulate/planned_schedule.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>

namespace unit_simulate_planned {

using namespace stagelens;
using model::VocabularyMethod;

namespace {

model::Experiment paperPlan(const char *family, VocabularyMethod method)
{
    model::Experiment experiment;
    experiment.model = test::paperModel(4096, 32'000);
    experiment.parallel = {8, 32, 1, {}};
    experiment.schedule.family = family;
    experiment.schedule.vocabulary = method;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

/// The most bytes that a device holds, and the time of the iteration, of what plannedSchedule makes.
std::pair<base::Bytes, base::Nanos> outcomeOf(const model::Experiment &experiment)
{
    const auto schedule = simulate::plannedSchedule(experiment);
    if (!schedule)
        qFatal("%s", schedule.error().text().c_str());
    const auto costs = simulate::makeCostModel(experiment, *schedule);
    const auto timeline = simulate::simulate(*schedule, *costs);
    base::Bytes peak = 0;
    for (int device = 0; device < schedule->devices(); ++device)
        peak = std::max(peak, simulate::memoryProfile(experiment, *schedule, *timeline, device).peak());
    return {peak, timeline->makespan()};
}

} // namespace

class SimulatePlanned : public QObject {
    Q_OBJECT

private slots:
    void bestLooksAtTheCosts()
    {
        for (const VocabularyMethod method : {VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            model::Experiment experiment = paperPlan("1f1b", method);
            const base::Nanos published = outcomeOf(experiment).second;
            experiment.schedule.vocabularyOrder = model::VocabularyOrder::Best;
            const base::Nanos best = outcomeOf(experiment).second;
            qInfo() << published << best;
            QVERIFY(best <= published);
        }
    }

    void memoryLimitsAreKept()
    {
        model::Experiment experiment = paperPlan("zb-auto", VocabularyMethod::None);
        const auto [free, quick] = outcomeOf(experiment);
        experiment.schedule.memoryLimit = free * 2 / 3;
        const auto [held, slow] = outcomeOf(experiment);
        QVERIFY(held <= *experiment.schedule.memoryLimit);
        QVERIFY(slow >= quick);
    }

    void tooLowLimitsAreRefused()
    {
        model::Experiment experiment = paperPlan("1f1b", VocabularyMethod::None);
        experiment.schedule.memoryLimit = 1'000'000;
        const auto refused = simulate::plannedSchedule(experiment);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.size(), std::size_t{8});
        const base::Problem &problem = refused.error().problems.front();
        QCOMPARE(problem.field, std::string("schedule.memory_limit"));
        QVERIFY2(problem.message.starts_with("device 0 needs 8 microbatches in flight but the limit has room for 0; raise"),
                 problem.message.c_str());
        experiment.hasModel = false;
        QVERIFY(!simulate::plannedSchedule(experiment).ok());
        experiment.schedule.memoryLimit.reset();
        QVERIFY(simulate::plannedSchedule(experiment).ok());
    }
};

STAGELENS_TEST(SimulatePlanned)

} // namespace unit_simulate_planned

#include "simulate/planned.moc"
