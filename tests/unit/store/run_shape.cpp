// Stored timelines that do and do not fit the plan of their run: slices of sequences and several iterations count microbatches
// of their own.
#include "engine/store/run_shape.h"
#include "engine/simulate/simulate.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

namespace unit_store_run_shape {

using namespace stagelens;

class StoreRunShape : public QObject {
    Q_OBJECT

private slots:
    void slicesAndIterationsFit()
    {
        for (const char *family : {"1f1b", "seq1f1b", "pipedream"}) {
            model::Experiment experiment = test::tinyExperiment(family, model::VocabularyMethod::None, 2, 4);
            experiment.schedule.iterations = family == std::string_view("pipedream") ? 3 : 1;
            const schedule::Schedule schedule = test::scheduleOf(experiment);
            const auto costs = simulate::makeCostModel(experiment, schedule);
            QVERIFY(costs);
            auto timeline = simulate::simulate(schedule, *costs);
            QVERIFY(timeline);
            QCOMPARE(store::shapeFault(*timeline, experiment), std::string());
            timeline->lanes[0].pass.back().microbatch = schedule.microbatches();
            QVERIFY(!store::shapeFault(*timeline, experiment).empty());
        }
    }

    void otherIterationsDoNotFit()
    {
        model::Experiment experiment = test::tinyExperiment("pipedream", model::VocabularyMethod::None, 2, 4);
        timeline::Timeline timeline;
        timeline.iterations = 3;
        QVERIFY(store::shapeFault(timeline, experiment).find("3 iterations") != std::string::npos);
    }
};

STAGELENS_TEST(StoreRunShape)

} // namespace unit_store_run_shape

#include "store/run_shape.moc"
