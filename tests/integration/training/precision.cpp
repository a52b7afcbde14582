// Training in 16 bits and with products in 8 bits on processors, which is emulated: against the float64 reference, the same
// bits whatever the order and the mode, bytes as planned, and the state of a checkpoint.
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/training/training_run.h"
#include "engine/simulate/memory.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>
#include <array>
#include <functional>

namespace integration_training_precision {

using namespace stagelens;
using model::DataType;
using model::VocabularyMethod;
using test::scheduleOf;

namespace {

constexpr std::array kTypes{DataType::Bf16, DataType::Fp16, DataType::Fp8};

/// Wide enough that rounding errors average out, as in a real model.
model::Experiment narrow(DataType type, const char *family, VocabularyMethod method, int devices, int microbatches)
{
    auto experiment = test::tinyExperiment(family, method, devices, microbatches);
    experiment.model.dtype = type;
    experiment.model.hidden = 64;
    return experiment;
}

void change(model::Experiment &plan, int turn)
{
    if (turn % 3 == 1)
        plan = test::asLlama(plan, 2);
    plan.model.tied = turn % 4 == 2;
    plan.parallel.microbatchSize = 1 + turn % 2;
    plan.training.mode = turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
    if (turn % 5 == 4)
        plan.schedule.recompute = model::Recompute::Full;
    if (turn % 5 == 3)
        plan.schedule.attention = model::Attention::Materialised;
}

} // namespace

class TrainingPrecision : public QObject {
    Q_OBJECT

private slots:
    void againstReference_data()
    {
        QTest::addColumn<QString>("family");
        for (const schedule::Family &family : test::trainedFamilies())
            QTest::newRow(std::string(family.name).c_str()) << QString::fromUtf8(family.name.data());
    }
    void againstReference()
    {
        QFETCH(QString, family);
        const std::string name = family.toStdString();
        int turn = static_cast<int>(schedule::findFamily(name) - schedule::families().data());
        test::Sample sample(turn);
        for (const VocabularyMethod method : test::kAllMethods) {
            if (!test::refusedField(name, method, 2).empty() || sample.leavesOut())
                continue;
            model::Experiment plan =
                narrow(name == "pipedream" ? DataType::Bf16 : kTypes[static_cast<std::size_t>(turn) % kTypes.size()],
                       name.c_str(), method, 2, name == "pipedream-2bw" ? 2 : 4);
            change(plan, turn++);
            if (name.starts_with("pipedream"))
                plan.training.optimizer.learningRate = 1e-4; // three steps
            test::verifyPlan(plan);
            if (QTest::currentTestFailed())
                return;
        }
    }

    void ranksAgainstReference_data()
    {
        using Change = std::function<void(model::Experiment &)>;
        QTest::addColumn<Change>("layout");
        const auto row = [](const char *name, Change layout) { QTest::newRow(name) << std::move(layout); };
        row("tensor", [](model::Experiment &plan) { plan.parallel.tensor = 2; });
        row("sequence parallel", [](model::Experiment &plan) {
            plan.parallel.tensor = 4;
            plan.parallel.sequenceParallel = true;
        });
        row("replicas", [](model::Experiment &plan) { plan.parallel.replicas = 2; });
        for (int stage = 1; stage <= 3; ++stage)
            QTest::addRow("zero %d", stage) << Change([stage](model::Experiment &plan) {
                plan.parallel.replicas = 2;
                plan.parallel.zero = stage;
            });
        for (const model::ContextMethod method :
             {model::ContextMethod::AllGather, model::ContextMethod::Ring, model::ContextMethod::Ulysses})
            QTest::addRow("context %s", model::name(method).data()) << Change([method](model::Experiment &plan) {
                plan.parallel.context = 2;
                plan.parallel.contextMethod = method;
                plan.schedule.attention = model::Attention::Flash;
            });
        row("slices", [](model::Experiment &plan) {
            plan.schedule.family = "seq1f1b";
            plan.schedule.sequenceSlices = 3;
        });
        row("offload", [](model::Experiment &plan) { plan.schedule.offload.fraction = 0.5; });
    }
    void ranksAgainstReference()
    {
        QFETCH(std::function<void(model::Experiment &)>, layout);
        int turn = 0;
        test::Sample sample;
        for (const DataType type : kTypes)
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
                model::Experiment plan = narrow(type, "1f1b", method, 2, 4);
                change(plan, turn++);
                if (sample.leavesOut())
                    continue;
                layout(plan);
                test::verifyPlan(plan);
                holdsWhatIsPlanned(plan, true);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    void sameBitsInAnyOrder()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const DataType type : kTypes) {
            const std::vector<float> expected = test::gradientsOf(narrow(type, "1f1b", VocabularyMethod::Vocab1, 2, 4));
            for (const char *family : {"gpipe", "zb-h1", "interleaved-1f1b", "zb-v"})
                for (const bool isLive : {false, true}) {
                    auto plan = narrow(type, family, VocabularyMethod::Vocab1, 2, 4);
                    plan.training.mode = isLive ? model::RunMode::Live : model::RunMode::VirtualClock;
                    if (isLive)
                        plan.schedule.recompute = model::Recompute::Full;
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(plan)), family);
                }
            // fp32 has other bits, close to these.
            const std::vector<float> exact = test::gradientsOf(narrow(DataType::Fp32, "1f1b", VocabularyMethod::Vocab1, 2, 4));
            QVERIFY(!test::sameBits(expected, exact));
        }
    }

    /// Replicas that shard the optimizer's state read rounded copies of what others have updated.
    void replicasShardTheSameTraining()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const DataType type : kTypes) {
            auto plan = narrow(type, "1f1b", VocabularyMethod::Vocab1, 2, 4);
            plan.parallel.replicas = 2;
            plan.training.steps = 4;
            const std::vector<double> losses = test::lossesOf(plan);
            QVERIFY(losses.back() < losses.front());
            for (int stage = 1; stage <= 3; ++stage) {
                plan.parallel.zero = stage;
                QCOMPARE(test::lossesOf(plan), losses);
            }
            // One replica with all microbatches adds in another order, and rounds alike.
            plan.parallel.zero = 0;
            plan.parallel.replicas = 1;
            plan.parallel.microbatches = 8;
            const std::vector<double> alone = test::lossesOf(plan);
            for (std::size_t step = 0; step < losses.size(); ++step)
                QVERIFY(std::abs(alone[step] - losses[step]) < 2e-3);
        }
    }

    /// Routers may choose other experts than in fp32, so that single gradients are not compared.
    void expertsTrainInAnyOrder()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const DataType type : kTypes) {
            const auto planOf = [type](const char *family) {
                auto plan = test::asLlama(narrow(type, family, VocabularyMethod::Vocab1, 2, 4), 2);
                plan.model.experts = 5;
                plan.model.topK = 2;
                plan.model.expertFfn = 24;
                plan.model.auxLoss = 0.02;
                plan.training.steps = 6;
                return plan;
            };
            auto plan = planOf("1f1b");
            const std::vector<double> losses = test::lossesOf(plan);
            QCOMPARE(test::lossesOf(planOf("zb-h1")), losses);
            holdsWhatIsPlanned(plan);
            if (QTest::currentTestFailed())
                return;
            plan.model.dtype = DataType::Fp32;
            const std::vector<double> exact = test::lossesOf(plan);
            for (std::size_t step = 0; step < losses.size(); ++step)
                QVERIFY2(std::abs(losses[step] - exact[step]) < 2e-2 * exact[step],
                         fmt::format("step {}: {}, in fp32 {}", step, losses[step], exact[step]).c_str());
        }
    }

    void planOfMemory()
    {
        STAGELENS_NOT_UNDER_TSAN();
        int turn = 0;
        for (const char *family : {"1f1b", "zb-h1", "pipedream", "pipedream-2bw", "v-half", "interlaced"})
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
                if (!test::refusedField(family, method, 2).empty())
                    continue;
                auto plan = test::smallExperiment(family, method, 2, 4);
                plan.model.dtype = std::string_view(family) == "pipedream"
                                       ? DataType::Bf16
                                       : kTypes[static_cast<std::size_t>(turn) % kTypes.size()];
                plan.model.sequence = 5;
                change(plan, turn++);
                plan.model.ffn = 60 + turn; // arrays of 16 bits are filled up
                holdsWhatIsPlanned(plan);
                if (QTest::currentTestFailed())
                    return;
            }
    }

private:
    /// Trains a step; the peaks of each device equal the plan and the prediction to the byte. `predictsOther`: rank 0 alone is
    /// reported, and the prediction is of other ranks.
    static void holdsWhatIsPlanned(model::Experiment plan, bool predictsOther = false)
    {
        plan.training.steps = 1;
        plan.training.mode = model::RunMode::VirtualClock; // live, messages decide which moment is the peak
        const schedule::Schedule schedule = scheduleOf(plan);
        const auto planned = runtime::memoryPlan(plan, runtime::lowered(schedule));
        QVERIFY(planned.ok());
        runtime::TrainingObserver observer;
        int steps = 0;
        observer.onStep = [&](const runtime::StepReport &report) {
            ++steps;
            for (std::size_t device = 0; device < planned->size(); ++device) {
                simulate::MemoryByCategory held = report.peakMemory[device];
                simulate::MemoryByCategory peak = (*planned)[device].peak;
                simulate::MemoryByCategory predicted =
                    simulate::memoryPeak(plan, schedule, *report.timeline, static_cast<int>(device)).byCategory;
                QVERIFY(held[backend::kMessages] <= peak[backend::kMessages]);
                held[backend::kMessages] = peak[backend::kMessages] = predicted[backend::kMessages] = 0;
                if (!predictsOther)
                    QCOMPARE(peak, predicted);
                QVERIFY(held[0] <= peak[0]);
                if ((*planned)[device].weightVersions > 1) // the most that may be in flight
                    held[0] = peak[0];
                QCOMPARE(held, peak);
            }
        };
        const auto trained = runtime::train(plan, schedule, {}, observer, {});
        QVERIFY2(trained.ok(), trained.ok() ? "" : trained.error().text().c_str());
        QCOMPARE(steps, 1);
    }
};

STAGELENS_TEST(TrainingPrecision)

} // namespace integration_training_precision

#include "training/precision.moc"
