// The families beside gpipe and 1f1b against the unpartitioned reference, and within the memory that is planned.
#include "engine/model/names.h"
#include "engine/runtime/training_run.h"
#include "tests/support/tiny_model.h"

#include <QtTest>
#include <numeric>

using namespace stagelens;
using model::VocabularyMethod;
using test::kAllMethods;
using test::scheduleOf;
using test::tinyExperiment;

class VerifyFamilies : public QObject {
    Q_OBJECT

private slots:
    /// A row a family and method; their places choose what else differs from row to row.
    void hold_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("turn");
        int turn = 0;
        for (const auto &[family, method] : test::otherPlans())
            QTest::addRow("%s %s", family.c_str(), model::name(method).data())
                << QString::fromStdString(family) << static_cast<int>(method) << turn++;
    }
    void hold()
    {
        QFETCH(QString, family);
        QFETCH(int, method);
        QFETCH(int, turn);
        for (const int devices : {1, 2, 4}) {
            const int microbatches = 1 + (turn + devices) % 6;
            auto experiment =
                tinyExperiment(family.toStdString(), static_cast<VocabularyMethod>(method), devices, microbatches);
            experiment.model.tied = (turn + devices) % 3 == 0;
            experiment.training.mode = turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(), qPrintable(QString("p=%1, m=%2: off by %3; loss %4, reference %5")
                                                    .arg(devices)
                                                    .arg(microbatches)
                                                    .arg(found->worst())
                                                    .arg(found->loss)
                                                    .arg(found->referenceLoss)));
        }
    }

    void onEightDevices()
    {
        for (const VocabularyMethod method : kAllMethods) {
            const auto experiment = tinyExperiment("zb-h1", method, 8, 9);
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(), qPrintable(QString::number(found->worst())));
        }
    }

    /// Stages of no layers have nothing for W but the table of tokens, and shards may be empty.
    void emptyStagesAndShards()
    {
        for (const auto &[family, method] : test::otherPlans()) {
            auto experiment = tinyExperiment(family, method, 4, 5);
            const int stages = scheduleOf(experiment).stages();
            experiment.parallel.stageLayers.assign(static_cast<std::size_t>(stages), 0);
            experiment.parallel.stageLayers[1] = 3;
            experiment.parallel.stageLayers[2] = 5;
            experiment.model.vocabularySize = 5;
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(), qPrintable(QString("%1: %2").arg(family.c_str()).arg(found->worst())));
        }
    }

    void memoryStaysWithinThePlan()
    {
        for (const auto &[family, method] : test::otherPlans()) {
            auto experiment = tinyExperiment(family, method, 4, 12);
            experiment.model.tied = method == VocabularyMethod::None || method == VocabularyMethod::Vocab1;
            experiment.training.steps = 1;
            const base::Bytes kept = activationsWithinThePlan(experiment);
            experiment.schedule.recompute = model::Recompute::Full;
            const base::Bytes recomputed = activationsWithinThePlan(experiment);
            QVERIFY2(recomputed < kept, qPrintable(QString("%1: %2 and %3").arg(family.c_str()).arg(kept).arg(recomputed)));
        }
    }

private:
    /// Bytes of activations at the devices' peaks.
    static base::Bytes activationsWithinThePlan(const model::Experiment &experiment)
    {
        base::Bytes measured = 0;
        base::Bytes activations = 0;
        const auto onStep = [&](const runtime::StepReport &report) {
            for (const auto &device : report.peakMemory) {
                measured = std::accumulate(device.begin(), device.end(), measured);
                activations += device[static_cast<std::size_t>(simulate::MemoryCategory::Activations)];
            }
        };
        const auto trained = runtime::train(experiment, scheduleOf(experiment), {}, {onStep, {}}, {});
        const base::Bytes planned = runtime::requiredBytes(experiment);
        if (!trained.ok() || measured > planned || planned > 2 * measured)
            qFatal("%s: %lld planned, %lld measured", experiment.schedule.family.c_str(), static_cast<long long>(planned),
                   static_cast<long long>(measured));
        return activations;
    }
};

QTEST_GUILESS_MAIN(VerifyFamilies)
#include "verify_families.moc"
