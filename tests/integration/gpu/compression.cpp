// Compressed gradients on GPUs without a GPU: losses as on the processor, bits, and planned memory.
#include "engine/model/capabilities.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/fibre_plans.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>

#include <cmath>
#include <fmt/format.h>

namespace integration_gpu_compression {

using namespace stagelens;
using model::VocabularyMethod;
using test::lossesOf;

namespace {

bool isOfMomentum(const model::Experiment &plan)
{
    return operators::exchangesMomentum(plan.training.compression);
}

model::Experiment planOf(const QString &method)
{
    model::Experiment plan = test::onGpu("1f1b", VocabularyMethod::Vocab1);
    plan.model.layers = 2;
    plan.parallel.stageLayers.clear();
    plan.parallel.replicas = 2;
    plan.training.compression = operators::parseCompression(method.toStdString()).choice;
    if (isOfMomentum(plan))
        plan.training.compressionAfter = 1;
    else
        plan.training.optimizer.clip = 0.5;
    plan.training.steps = 3;
    return operators::resolved(plan, 2);
}

} // namespace

class GpuCompression : public QObject, test::OneFibreGpu {
    Q_OBJECT

private slots:
    void initTestCase() { load(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void trainsAsOnTheProcessor_data()
    {
        QTest::addColumn<QString>("method");
        for (const char *method : {"sign", "top-k=0.1", "powersgd=2", "one-bit-adam"})
            QTest::newRow(method) << method;
    }
    void trainsAsOnTheProcessor()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QString, method);
        model::Experiment plan = planOf(method);
        QVERIFY(model::unsupported(plan, model::Use::Run).empty());
        const std::vector<double> losses = lossesOf(plan);
        QCOMPARE(losses.size(), std::size_t{3});
        model::Experiment other = plan;
        other.parallel.zero = isOfMomentum(plan) ? 0 : 1;
        other.training.mode = model::RunMode::Live;
        QCOMPARE(lossesOf(other), losses);
        other = plan;
        other.training.backend = "cpu";
        const std::vector<double> expected = lossesOf(other);
        for (std::size_t step = 0; step < losses.size(); ++step)
            QVERIFY2(std::abs(losses[step] - expected[step]) <= 1e-4,
                     fmt::format("step {}: {}, on the processor {}", step, losses[step], expected[step]).c_str());
        other.training.compression = {};
        other.training.compressionAfter = 0;
        QVERIFY(lossesOf(other) != expected);
    }

    /// Two steps, a checkpoint and one more are three steps.
    void continuesWithWhatWasNotSent_data()
    {
        QTest::addColumn<QString>("method");
        for (const char *method : {"powersgd=2", "one-bit-adam"})
            QTest::newRow(method) << method;
    }
    void continuesWithWhatWasNotSent()
    {
        STAGELENS_NOT_SANITIZED();
        QFETCH(QString, method);
        const QTemporaryDir folder;
        runtime::RunFolders folders;
        folders.checkpoints = folder.path().toStdString();
        folders.checkpointEvery = 2;
        model::Experiment plan = planOf(method);
        const std::vector<double> losses = lossesOf(plan);
        plan.training.steps = 2;
        (void)lossesOf(plan, folders);
        plan.training.steps = 3;
        runtime::RunFolders before;
        before.resume = folders.checkpoints;
        QCOMPARE(lossesOf(plan, before), std::vector<double>{losses.back()});
    }

    void memoryIsPlanned_data() { trainsAsOnTheProcessor_data(); }
    void memoryIsPlanned()
    {
        STAGELENS_NOT_SANITIZED();
        QFETCH(QString, method);
        model::Experiment plan = planOf(method);
        plan.model.dtype = model::DataType::Bf16;
        plan.training.steps = isOfMomentum(plan) ? 2 : 1;
        const schedule::Schedule schedule = test::scheduleOf(plan);
        runtime::TrainingObserver observer;
        observer.onStep = [&](const runtime::StepReport &report) {
            for (int device = 0; device < 2; ++device)
                QVERIFY(test::peaksArePredicted(plan, schedule, report, device));
        };
        const auto trained = runtime::train(plan, schedule, {}, observer, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
    }
};

STAGELENS_TEST(GpuCompression)

} // namespace integration_gpu_compression

#include "gpu/compression.moc"
