// Training in fp16 on GPUs without a GPU: gradients of the float64 reference, the processor's losses, bits, and planned memory.
// Planted infinities: integration/training/loss_scale.
#include "engine/model/capabilities.h"
#include "engine/operators/optimizers/optimizer.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/fibre_plans.h"
#include "tests/support/held_memory.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"

#include <functional>

namespace integration_gpu_fp16 {

using namespace stagelens;
using model::VocabularyMethod;
using test::lossesOf;

namespace {

using Change = std::function<void(model::Experiment &)>;

/// Two layers on two devices, with a factor at which nothing overflows.
model::Experiment planOf(const char *schedule, VocabularyMethod method, bool isLlama = false, const Change &change = {})
{
    model::Experiment plan = test::onGpu(schedule, method, isLlama);
    plan.model.dtype = model::DataType::Fp16;
    plan.model.layers = 2;
    plan.parallel.stageLayers.clear();
    plan.training.lossScale.fixed = 1024;
    if (change)
        change(plan);
    return operators::resolved(plan, 2);
}

} // namespace

class GpuFp16 : public QObject, test::OneFibreGpu {
    Q_OBJECT

private slots:
    void initTestCase() { load(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void trainsLikeTheReference_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("isLlama");
        test::Sample sample;
        const auto row = [&sample](const char *name, VocabularyMethod method, bool isLlama, Change change) {
            if (!sample.leavesOut())
                QTest::newRow(name) << std::move(change) << static_cast<int>(method) << isLlama;
        };
        row("vocab-2", VocabularyMethod::Vocab2, false, [](model::Experiment &) {});
        row("vocab-1, llama", VocabularyMethod::Vocab1, true, [](model::Experiment &) {});
        row("naive, tied", VocabularyMethod::Naive, false, [](model::Experiment &plan) { plan.model.tied = true; });
        row("zb-h1, recomputed", VocabularyMethod::None, true, [](model::Experiment &plan) {
            plan.schedule.family = "zb-h1";
            plan.schedule.recompute = model::Recompute::Full;
        });
        row("tensor ranks, replicas, ZeRO-3", VocabularyMethod::Vocab2, false, [](model::Experiment &plan) {
            plan.parallel.tensor = plan.parallel.replicas = 2;
            plan.parallel.sequenceParallel = true;
            plan.parallel.zero = 3;
        });
        row("context ranks, ring", VocabularyMethod::Vocab1, false, [](model::Experiment &plan) {
            plan.model.sequence = 8;
            plan.parallel.context = 2;
            plan.parallel.contextMethod = model::ContextMethod::Ring;
        });
        row("slices", VocabularyMethod::None, true, [](model::Experiment &plan) {
            plan.schedule.family = "seq1f1b";
            plan.schedule.sequenceSlices = 2;
        });
    }
    void trainsLikeTheReference()
    {
        QFETCH(Change, change);
        QFETCH(int, method);
        QFETCH(bool, isLlama);
        test::verifyPlan(planOf("1f1b", static_cast<VocabularyMethod>(method), isLlama, [&](model::Experiment &plan) {
            plan.model.hidden = 64; // rounding errors average out over many numbers
            plan.model.ffn = 128;
            plan.model.sequence = 16;
            change(plan);
        }));
    }

    void everyOptimizerTrains_data()
    {
        QTest::addColumn<QString>("optimizer");
        for (const operators::Optimizer *optimizer : operators::optimizers())
            if (const QString name = QString::fromStdString(std::string(optimizer->name));
                !test::kIsSanitized || name == QStringLiteral("adamw"))
                QTest::newRow(qPrintable(name)) << name;
    }
    /// Sharded tables on two replicas that share the state: the processor's losses, and twice the same bits.
    void everyOptimizerTrains()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QString, optimizer);
        model::Experiment plan = planOf("1f1b", VocabularyMethod::Vocab2, false, [&](model::Experiment &each) {
            each.training.optimizer.name = optimizer.toStdString();
            each.training.optimizer.learningRate = 1e-3;
            each.training.optimizer.clip = 0.5;
            each.training.steps = 3;
            each.parallel.replicas = 2;
            each.parallel.zero = 1;
        });
        QVERIFY(model::unsupported(plan, model::Use::Run).empty());
        const std::vector<double> losses = lossesOf(plan);
        QCOMPARE(losses.size(), std::size_t{3});
        model::Experiment onProcessor = plan;
        onProcessor.training.backend = "cpu";
        test::compareLosses(losses, lossesOf(onProcessor), 2.5e-3);
        plan.training.mode = model::RunMode::Live;
        QCOMPARE(lossesOf(plan), losses);
    }

    /// The same steps are skipped as on the processor, and what follows is the same.
    void overflowsSkipTheStepsOfTheProcessor()
    {
        STAGELENS_NOT_UNDER_TSAN();
        model::Experiment plan = planOf("1f1b", VocabularyMethod::Vocab1, false, [](model::Experiment &each) {
            each.training.lossScale.fixed.reset();
            each.training.steps = 12;
            each.parallel.replicas = 2;
        });
        const auto trained = [&](const char *backend) {
            plan.training.backend = backend;
            auto session = runtime::Session::open(plan, test::scheduleOf(plan), {});
            if (!session)
                qFatal("%s", session.error().text().c_str());
            (*session)->restoreLossScale({0x1p26, 0, {}});
            std::vector<double> losses;
            for (int step = 0; step < plan.training.steps; ++step) {
                const auto report = (*session)->step(step, true, {});
                if (!report)
                    qFatal("%s", report.error().text().c_str());
                losses.push_back(report->loss);
            }
            return std::pair(losses, (*session)->lossScale()->skipped);
        };
        const auto [losses, skipped] = trained("cuda");
        const auto [expected, others] = trained("cpu");
        QVERIFY(!skipped.empty() && skipped.size() < losses.size() && skipped.front() == 0);
        QCOMPARE(skipped, others);
        test::compareLosses(losses, expected, 2.5e-3);
    }

    void holdsWhatIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        test::verifyHeldMemory(planOf("zb-h1", VocabularyMethod::Vocab2, true));
    }

    void widthsOfNoMultipleAreRefused()
    {
        const auto plan = planOf("1f1b", VocabularyMethod::None, false, [](model::Experiment &each) { each.model.ffn = 60; });
        const auto found = runtime::verify(plan, test::scheduleOf(plan), {});
        QVERIFY(!found.ok());
        QVERIFY2(found.error().text().find("model.ffn: is 60, but 16 bits on GPUs need a multiple of 8") != std::string::npos,
                 found.error().text().c_str());
    }
};

STAGELENS_TEST(GpuFp16)

} // namespace integration_gpu_fp16

#include "gpu/fp16.moc"
