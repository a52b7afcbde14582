// Overlapped pairs of 1F1B and interleaved 1F1B with experts on several ranks: the bits of the plan without them, and as many
// bytes as planned.
#include "engine/runtime/training/training_run.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

namespace integration_ranks_pairs {

using namespace stagelens;
using test::scheduleOf;

namespace {

/// Eight experts of a layer on two ranks, and more microbatches than the warm-up takes.
model::Experiment expertPlan(const char *family, bool hasPairs)
{
    auto experiment = test::tinyExperts(family, model::VocabularyMethod::None, 2, 6);
    experiment.parallel.replicas = experiment.parallel.expert = 2;
    experiment.parallel.expertHeadroom = 4;
    experiment.parallel.zero = 1;
    experiment.schedule.overlappedPairs = hasPairs;
    experiment.training.steps = 2;
    return operators::resolved(experiment, 2);
}

} // namespace

class RanksPairs : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

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
        test::checkMemory(experiment);
    }

private:
    static void addFamilies()
    {
        QTest::addColumn<QString>("family");
        for (const char *family : {"1f1b", "interleaved-1f1b"})
            QTest::newRow(family) << QString(family);
    }
};

STAGELENS_TEST(RanksPairs)

} // namespace integration_ranks_pairs

#include "ranks/pairs.moc"
