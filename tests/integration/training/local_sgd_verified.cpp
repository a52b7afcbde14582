// `verify` of replicas that train alone and are averaged every few steps.
#include "engine/runtime/reference/local_sgd.h"
#include "engine/runtime/training/session.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

#include <algorithm>
#include <string>
#include <vector>

namespace integration_training_local_sgd_verified {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;

namespace {

model::Experiment planOf(int every, int replicas = 2, VocabularyMethod method = VocabularyMethod::None, int microbatches = 2)
{
    auto experiment = test::tinyExperiment("1f1b", method, 2, microbatches);
    experiment.parallel.replicas = replicas;
    experiment.parallel.syncEvery = every;
    experiment.training.optimizer.clip = 0.5;
    return experiment;
}

} // namespace

class TrainingLocalSgdVerified : public QObject {
    Q_OBJECT

private slots:
    void everyReplicaIsVerified()
    {
        for (const bool isMixture : {false, true}) {
            auto experiment = planOf(5, 3, VocabularyMethod::Vocab1, 3);
            if (isMixture) {
                experiment = test::asLlama(planOf(5, 2, VocabularyMethod::None, 3), 4);
                experiment.model.experts = 4;
                experiment.model.topK = 2;
                experiment.model.expertFfn = 32;
                experiment.model.auxLoss = 0.01;
            }
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QCOMPARE(found->replicas, experiment.parallel.replicas);
            QCOMPARE(found->steps, 3);
            QVERIFY2(found->holds(), qPrintable(QString::number(found->worst())));
        }
    }

    void everyOptimizerIsVerified_data()
    {
        QTest::addColumn<QByteArray>("optimizer");
        test::Sample sample;
        for (const char *name : {"adamw", "sgd", "lion", "adafactor", "adam8bit", "muon"})
            if (!sample.leavesOut())
                QTest::newRow(name) << QByteArray(name);
    }
    /// Over two steps and the average.
    void everyOptimizerIsVerified()
    {
        QFETCH(QByteArray, optimizer);
        auto experiment = planOf(2, 3);
        experiment.training.optimizer.name = optimizer.toStdString();
        experiment.training.optimizer.weightDecay = 0.1;
        const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
        QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
        QCOMPARE(found->steps, 2);
        QVERIFY2(found->holds(), qPrintable(QString::number(found->worst())));
    }

    /// The check of `verify`, of a run that leaves the average out or averages too early.
    void aWrongAverageIsFound_data()
    {
        QTest::addColumn<int>("every");
        QTest::addColumn<bool>("expectsAverage");
        QTest::addColumn<bool>("isSound");
        QTest::newRow("averaged") << 3 << true << true;
        QTest::newRow("not averaged") << 4 << true << false;
        QTest::newRow("alone") << 4 << false << true;
        QTest::newRow("averaged too early") << 3 << false << false;
    }
    void aWrongAverageIsFound()
    {
        QFETCH(int, every);
        QFETCH(bool, expectsAverage);
        QFETCH(bool, isSound);
        const auto experiment = planOf(every);
        const auto opened = runtime::Session::open(experiment, scheduleOf(experiment), {});
        QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
        runtime::Session *const session = opened->get();
        runtime::LocalSgdReplay replay(session->plan(), {});
        for (int index = 0; index < 3; ++index) {
            std::vector<runtime::ReplicaStep> replicas(2);
            const auto inspect = [&]() -> base::Result<> {
                for (int i = 0; i < 2; ++i)
                    replicas[static_cast<std::size_t>(i)].gradients = session->tensors().read(&runtime::Parameter::gradient, i);
                return {};
            };
            for (int i = 0; i < 2; ++i)
                replicas[static_cast<std::size_t>(i)].before = session->tensors().read(&runtime::Parameter::value, i);
            QVERIFY(session->step(index, true, {}, inspect).ok());
            for (int i = 0; i < 2; ++i)
                replicas[static_cast<std::size_t>(i)].after = session->tensors().read(&runtime::Parameter::value, i);
            QVERIFY(replay.follow(session->batch(), replicas, expectsAverage && index == 2).ok());
        }
        double worst = 0;
        for (std::size_t i = 0; i < session->plan().parameters.size(); ++i)
            worst = std::max(worst, replay.relativeError(i));
        QCOMPARE(worst <= runtime::Verification::kTolerance, isSound);
    }
};

STAGELENS_TEST(TrainingLocalSgdVerified)

} // namespace integration_training_local_sgd_verified

#include "training/local_sgd_verified.moc"
