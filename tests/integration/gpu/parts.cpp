// Training on GPUs, of fibres, where passes have parts of sequences or of a step: slices, context ranks, several iterations.
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/fibre_plans.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/trained.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>

#include <cmath>
#include <fmt/format.h>

namespace integration_gpu_parts {

using namespace stagelens;
using model::VocabularyMethod;
using test::inBf16;
using test::lossesOf;
using test::onGpu;

namespace {} // namespace

class GpuParts : public QObject, test::OneFibreGpu {
    Q_OBJECT

private slots:
    void initTestCase() { load(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void slicesTrainLikeTheReference_data()
    {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("isLlama");
        QTest::addColumn<bool>("isBf16");
        test::Sample sample;
        const auto row = [&sample](const char *schedule, VocabularyMethod method, bool isLlama, bool isBf16) {
            if (!sample.leavesOut())
                QTest::addRow("%s %s%s%s", schedule, model::name(method).data(), isLlama ? " llama" : "", isBf16 ? " bf16" : "")
                    << schedule << static_cast<int>(method) << isLlama << isBf16;
        };
        row("seq1f1b", VocabularyMethod::Vocab1, true, false);
        row("seq1f1b-zb", VocabularyMethod::Vocab2, false, false);
        row("seq1f1b-zb", VocabularyMethod::Vocab1, true, true);
        row("seq1f1b", VocabularyMethod::None, false, true);
    }
    /// In bf16 with heads of 64, for tensor cores.
    void slicesTrainLikeTheReference()
    {
        QFETCH(QString, schedule);
        QFETCH(int, method);
        QFETCH(bool, isLlama);
        QFETCH(bool, isBf16);
        model::Experiment plan = onGpu(schedule.toStdString(), static_cast<VocabularyMethod>(method), isLlama);
        plan.schedule.sequenceSlices = isBf16 ? 2 : 3;
        plan.model.sequence = isBf16 ? 16 : 8;
        if (isBf16) {
            plan = inBf16(plan, 2);
            plan.model.hidden = isLlama ? 128 : 64;
            plan.model.ffn = 128;
            plan.model.heads = isLlama ? 2 : 1;
            plan.model.kvHeads = 1;
        }
        test::verifyPlan(operators::resolved(plan, 2));
    }

    void contextRanksTrainLikeTheReference_data()
    {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("way");
        QTest::addColumn<bool>("isLlama");
        QTest::addColumn<bool>("isBf16");
        test::Sample sample;
        const auto row = [&sample](const char *schedule, VocabularyMethod method, model::ContextMethod way, bool isLlama,
                                   bool isBf16) {
            if (!sample.leavesOut())
                QTest::addRow("%s %s %s%s%s", schedule, model::name(method).data(), model::name(way).data(),
                              isLlama ? " llama" : "", isBf16 ? " bf16" : "")
                    << schedule << static_cast<int>(method) << static_cast<int>(way) << isLlama << isBf16;
        };
        using model::ContextMethod;
        row("1f1b", VocabularyMethod::Vocab2, ContextMethod::Ring, true, false);
        row("zb-h1", VocabularyMethod::Vocab1, ContextMethod::AllGather, false, true);
        row("1f1b", VocabularyMethod::None, ContextMethod::Ring, false, true);
        row("1f1b", VocabularyMethod::None, ContextMethod::Ulysses, true, false);
        row("1f1b", VocabularyMethod::Vocab2, ContextMethod::Ulysses, false, true);
        row("1f1b", VocabularyMethod::Vocab1, ContextMethod::AllGather, true, false);
    }
    /// In bf16 with heads of 64, for tensor cores.
    void contextRanksTrainLikeTheReference()
    {
        QFETCH(QString, schedule);
        QFETCH(int, method);
        QFETCH(int, way);
        QFETCH(bool, isLlama);
        QFETCH(bool, isBf16);
        model::Experiment plan = onGpu(schedule.toStdString(), static_cast<VocabularyMethod>(method));
        plan.parallel.context = 2;
        plan.parallel.contextMethod = static_cast<model::ContextMethod>(way);
        plan.model.sequence = isBf16 ? 16 : 8;
        plan.training.mode = isLlama ? model::RunMode::Live : model::RunMode::VirtualClock;
        if (isLlama)
            plan = test::asLlama(plan, 2);
        if (isBf16) {
            plan = inBf16(plan, 2);
            plan.model.hidden = 128;
            plan.model.ffn = 128;
        }
        test::verifyPlan(operators::resolved(plan, 2));
    }

    /// Several steps without a drain: weight versions of earlier steps, on both backends.
    void iterationsTrainLikeOnTheProcessor()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const char *family : {"pipedream", "pipedream-2bw"})
            for (const bool isBf16 : {false, true}) {
                model::Experiment plan = onGpu(family, VocabularyMethod::None);
                if (isBf16)
                    plan = inBf16(plan, 2);
                plan.parallel.microbatches = 4;
                plan.schedule.iterations = 2;
                plan.training.steps = 4;
                QVERIFY(model::unsupported(plan, model::Use::Run).empty());
                const std::vector<double> losses = lossesOf(plan);
                QCOMPARE(losses.size(), std::size_t{4});
                plan.training.mode = model::RunMode::Live;
                QCOMPARE(lossesOf(plan), losses);
                plan.training.backend = "cpu";
                plan.model.dtype = model::DataType::Fp32;
                const std::vector<double> expected = lossesOf(plan);
                for (std::size_t step = 0; step < losses.size(); ++step)
                    QVERIFY2(std::abs(losses[step] - expected[step]) <= (isBf16 ? 2e-2 : 1e-4),
                             fmt::format("{}, step {}: {}, on the processor {}", family, step, losses[step], expected[step])
                                 .c_str());
            }
    }
};

STAGELENS_TEST(GpuParts)

} // namespace integration_gpu_parts

#include "gpu/parts.moc"
