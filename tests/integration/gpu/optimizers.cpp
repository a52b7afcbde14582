// Optimizers other than AdamW on GPUs without a GPU: losses and checkpoints as on the processor, shards, and planned memory.
#include "engine/model/capabilities.h"
#include "engine/operators/optimizers/optimizer.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/fibre_plans.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>

namespace integration_gpu_optimizers {

using namespace stagelens;
using model::VocabularyMethod;
using test::lossesOf;

namespace {

/// Sharded tables, whose rows some optimizers sum over devices, on two replicas that share the state.
model::Experiment planOf(const QString &optimizer, bool isBf16 = false)
{
    model::Experiment plan = test::onGpu("1f1b", VocabularyMethod::Vocab1);
    plan.model.layers = 2;
    plan.parallel.stageLayers.clear();
    plan.model.dtype = isBf16 ? model::DataType::Bf16 : model::DataType::Fp32;
    plan = operators::resolved(plan, 2);
    plan.training.optimizer.name = optimizer.toStdString();
    plan.training.optimizer.learningRate = 1e-3;
    plan.training.optimizer.weightDecay = 0.1;
    plan.training.optimizer.clip = 0.5;
    plan.training.steps = 3;
    plan.parallel.replicas = 2;
    plan.parallel.zero = 1;
    return plan;
}

} // namespace

class GpuOptimizers : public QObject, test::OneFibreGpu {
    Q_OBJECT

private slots:
    void initTestCase() { load(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void trainAsOnTheProcessor_data() { addOptimizers(); }
    void trainAsOnTheProcessor()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QString, optimizer);
        model::Experiment plan = planOf(optimizer);
        QVERIFY(model::unsupported(plan, model::Use::Run).empty());
        const std::vector<double> losses = lossesOf(plan);
        QCOMPARE(losses.size(), std::size_t{3});
        plan.training.mode = model::RunMode::Live;
        QCOMPARE(lossesOf(plan), losses);
        plan.training.mode = model::RunMode::VirtualClock;
        plan.training.backend = "cpu";
        test::compareLosses(losses, lossesOf(plan), 1e-4);
        test::compareLosses(lossesOf(planOf(optimizer, true)), lossesOf(asOnProcessor(planOf(optimizer, true))), 2e-2);
    }

    /// Of those whose states are no floats for each element.
    void continueOnTheOtherBackend_data()
    {
        QTest::addColumn<QString>("optimizer");
        for (const char *optimizer : {"adafactor", "adam8bit"})
            QTest::newRow(optimizer) << optimizer;
    }
    void continueOnTheOtherBackend()
    {
        STAGELENS_NOT_SANITIZED();
        QFETCH(QString, optimizer);
        for (const char *first : {"cuda", "cpu"}) {
            const QTemporaryDir folder;
            runtime::RunFolders folders;
            folders.checkpoints = folder.path().toStdString();
            folders.checkpointEvery = 2;
            model::Experiment plan = planOf(optimizer, true);
            plan.training.backend = first;
            const std::vector<double> losses = lossesOf(plan);
            plan.training.steps = 2;
            (void)lossesOf(plan, folders);
            runtime::RunFolders before;
            before.resume = folders.checkpoints;
            plan.training.steps = 3;
            const std::vector<double> rest(losses.begin() + 2, losses.end());
            QCOMPARE(lossesOf(plan, before), rest);
            plan.training.backend = std::string_view(first) == "cuda" ? "cpu" : "cuda";
            test::compareLosses(lossesOf(plan, before), rest, 2e-2);
        }
    }

    void memoryIsPlanned_data() { addOptimizers(); }
    void memoryIsPlanned()
    {
        STAGELENS_NOT_SANITIZED();
        QFETCH(QString, optimizer);
        model::Experiment plan = planOf(optimizer, true);
        plan.training.steps = 1;
        const schedule::Schedule schedule = test::scheduleOf(plan);
        runtime::TrainingObserver observer;
        observer.onStep = [&](const runtime::StepReport &report) {
            for (int device = 0; device < 2; ++device)
                QVERIFY(test::peaksArePredicted(plan, schedule, report, device));
            QVERIFY(report.facts.contains("gpu memory"));
            QVERIFY(report.facts.at("gpu memory").find("more than planned") == std::string::npos);
        };
        const auto trained = runtime::train(plan, schedule, {}, observer, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
    }

private:
    static void addOptimizers()
    {
        QTest::addColumn<QString>("optimizer");
        for (const operators::Optimizer *optimizer : operators::optimizers())
            if (const QString name = QString::fromStdString(std::string(optimizer->name)); name != QStringLiteral("adamw"))
                if (!test::kIsSanitized || name == QStringLiteral("adam8bit") || name == QStringLiteral("adafactor"))
                    QTest::newRow(qPrintable(name)) << name;
    }
    static model::Experiment asOnProcessor(model::Experiment plan)
    {
        plan.training.backend = "cpu";
        return plan;
    }
};

STAGELENS_TEST(GpuOptimizers)

} // namespace integration_gpu_optimizers

#include "gpu/optimizers.moc"
