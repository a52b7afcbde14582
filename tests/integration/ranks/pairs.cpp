// Overlapped pairs of 1F1B and interleaved 1F1B with experts on several ranks: the bits of the plan without them, and as many
// bytes as planned.
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/training/training_run.h"
#include "engine/simulate/memory.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QTemporaryDir>
#include <QtTest>

namespace integration_ranks_pairs {

using namespace stagelens;
using test::scheduleOf;

namespace {

/// Four experts of a layer on two ranks, and more microbatches than the warm-up takes.
model::Experiment expertPlan(const char *family, bool hasPairs)
{
    auto experiment = test::asLlama(test::tinyExperiment(family, model::VocabularyMethod::None, 2, 6), 2);
    experiment.model.layers = 4;
    experiment.parallel.stageLayers.clear();
    experiment.model.experts = 4;
    experiment.model.topK = 2;
    experiment.model.expertFfn = 24;
    experiment.model.auxLoss = 0.02;
    experiment.parallel.replicas = experiment.parallel.expert = 2;
    experiment.parallel.expertHeadroom = 4;
    experiment.parallel.zero = 1;
    experiment.schedule.overlappedPairs = hasPairs;
    experiment.training.steps = 2;
    return operators::resolved(experiment, 2);
}

} // namespace

class RanksPairs : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    void changeNoBit_data() { addFamilies(); }
    void changeNoBit()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(const QString, family);
        const auto apart = expertPlan(family.toLatin1(), false);
        const std::vector<double> losses = test::lossesOf(apart);
        const std::vector<float> gradients = test::gradientsOf(apart);
        for (const auto mode : {model::RunMode::VirtualClock, model::RunMode::Live}) {
            auto paired = expertPlan(family.toLatin1(), true);
            paired.training.mode = mode;
            QCOMPARE(test::lossesOf(paired), losses);
            QVERIFY(test::sameBits(gradients, test::gradientsOf(paired)));
        }
    }

    void memoryIsPlanned_data() { addFamilies(); }
    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(const QString, family);
        const auto experiment = expertPlan(family.toLatin1(), true);
        const auto schedule = scheduleOf(experiment);
        const auto plans = runtime::memoryPlan(experiment, runtime::lowered(schedule));
        QVERIFY(plans.ok());
        const auto onStep = [&](const runtime::StepReport &report) {
            for (int device = 0; device < 2; ++device) {
                const auto planned = simulate::memoryPeak(experiment, schedule, *report.timeline, device).byCategory;
                const auto &measured = report.peakMemory[static_cast<std::size_t>(device)];
                for (std::size_t i = 0; i < measured.size(); ++i)
                    if (i != backend::kMessages)
                        QCOMPARE(measured[i], planned[i]);
                QVERIFY(measured[backend::kMessages] <= (*plans)[static_cast<std::size_t>(device)].peak[backend::kMessages]);
            }
        };
        const auto trained = runtime::train(experiment, schedule, {}, {onStep, {}}, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
    }

private:
    static void addFamilies()
    {
        QTest::addColumn<QString>("family");
        for (const char *family : {"1f1b", "interleaved-1f1b"})
            QTest::newRow(family) << QString(family);
    }

    QTemporaryDir m_folder;
};

STAGELENS_TEST(RanksPairs)

} // namespace integration_ranks_pairs

#include "ranks/pairs.moc"
