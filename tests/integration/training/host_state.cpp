// Optimizer state and weights on the host: runs have the bits of runs that keep them on the device, and hold on devices and
// hosts exactly what is planned.
#include "engine/model/capabilities.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/training/run_check.h"
#include "engine/simulate/memory.h"
#include "engine/simulate/offload/offload_plan.h"
#include "engine/simulate/planned_schedule.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/trained.h"
#include "tests/support/verify_matrix.h"

#include <QTemporaryDir>
#include <QtTest>

#include <chrono>
#include <filesystem>

namespace integration_training_host_state {

using namespace stagelens;
using model::Experiment;
using model::VocabularyMethod;
using test::scheduleOf;
using test::smallExperiment;
using test::Trained;

namespace {

enum class Kept : unsigned char { Optimizer, Parameters };

Experiment onHost(Experiment experiment, Kept kept)
{
    experiment.schedule.offloadOptimizer = true;
    experiment.schedule.offloadParameters = kept == Kept::Parameters;
    return experiment;
}

/// Another combination of model, recomputation, mode, precision and optimizer each turn.
Experiment sample(const std::string &family, VocabularyMethod method, int turn)
{
    auto experiment = smallExperiment(family, method, 4, 6);
    if (turn % 2 == 1)
        experiment = test::asLlama(experiment, 1);
    if (turn % 3 == 1)
        experiment.schedule.recompute = model::Recompute::Full;
    if (turn % 3 == 2)
        test::recomputeParts(experiment, turn);
    if (turn % 5 == 3)
        experiment.model.dtype = model::DataType::Bf16;
    if (turn % 7 == 4)
        experiment.training.optimizer.name = "lion";
    if (turn % 4 == 1)
        experiment.training.optimizer.clip = 0.5;
    experiment.training.mode = turn / 2 % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
    experiment.training.steps = 3;
    return experiment;
}

std::string refusalOf(const Experiment &experiment)
{
    if (base::Problems problems = model::validate(experiment); !problems.empty())
        return base::Error::invalid(std::move(problems)).text();
    const auto checked = runtime::checkRun(experiment, scheduleOf(experiment));
    return checked ? std::string() : checked.error().text();
}

} // namespace

class TrainingHostState : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    /// Losses, gradients and weights after three steps.
    void changesNoBitOfAnySynchronousFamily()
    {
        int turn = 0;
        for (const auto &[family, method] : test::allPlans()) {
            if (++turn % 4 != 0 && test::kIsSanitized)
                continue;
            const Experiment experiment = sample(family, method, turn);
            if (!scheduleOf(experiment).isSynchronous())
                continue;
            compareBits(experiment, family + ", turn " + std::to_string(turn));
            if (QTest::currentTestFailed())
                return;
        }
    }

    void changesNoBitWithRanks()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto compare = [this](const char *what, auto change) {
            auto experiment = smallExperiment("zb-h1", VocabularyMethod::Vocab2, 2, 4);
            experiment.model.sequence = 8;
            experiment.training.steps = 3;
            experiment.training.optimizer.clip = 0.5;
            change(experiment);
            compareBits(operators::resolved(experiment, 2), what);
        };
        compare("tensor", [](Experiment &each) { each.parallel.tensor = 2; });
        compare("context", [](Experiment &each) { each.parallel.context = 2; });
        compare("replicas", [](Experiment &each) {
            each.parallel.replicas = 2;
            each.training.mode = model::RunMode::Live;
        });
        compare("zero 1", [](Experiment &each) {
            each.parallel.replicas = 2;
            each.parallel.zero = 1;
        });
        compare("zero 2 in bf16", [](Experiment &each) {
            each.parallel.replicas = 3;
            each.parallel.zero = 2;
            each.model.dtype = model::DataType::Bf16;
        });
        compare("compressed gradients", [](Experiment &each) {
            each.parallel.replicas = 2;
            each.training.compression = {"sign", 0};
            each.training.optimizer.clip.reset();
        });
        compare("averages", [](Experiment &each) {
            each.parallel.replicas = 2;
            each.parallel.syncEvery = 3;
        });
        compare("tied", [](Experiment &each) { each.model.tied = true; });
    }

    /// Slices of sequences run several passes of a microbatch.
    void changesNoBitOfSlices()
    {
        auto experiment = smallExperiment("seq1f1b-zb", VocabularyMethod::None, 2, 4);
        experiment.schedule.sequenceSlices = 2;
        experiment.training.steps = 2;
        compareBits(operators::resolved(experiment, 2), "slices");
    }

    /// A pass copies all experts of a layer that the rank has, into places for the larger kind of layer.
    void changesNothingOfExperts()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto planOf = [](const char *family, auto change) {
            auto experiment = test::asLlama(smallExperiment(family, VocabularyMethod::None, 2, 4), 1);
            experiment.model.experts = 4;
            experiment.model.topK = 2;
            experiment.model.expertFfn = 12;
            experiment.model.auxLoss = 0.02;
            experiment.training.steps = 3;
            change(experiment);
            return operators::resolved(experiment, 2);
        };
        const auto compare = [&](const char *family, auto change) {
            const Experiment experiment = planOf(family, change);
            compareBits(experiment, family);
            compareBytes(onHost(experiment, Kept::Parameters), scheduleOf(experiment));
            verify(onHost(experiment, Kept::Parameters));
        };
        compare("1f1b", [](Experiment &each) { each.schedule.recompute = model::Recompute::Full; });
        compare("zb-v", [](Experiment &each) { each.model.expertEvery = 2; });
        compare("interleaved-1f1b", [](Experiment &each) {
            each.model.denseLayers = 3;
            each.model.sharedExperts = 1;
            each.training.mode = model::RunMode::Live;
        });
        compare("seq1f1b-zb", [](Experiment &each) { each.schedule.sequenceSlices = 2; });
        for (const int zero : {0, 1})
            compare("zb-h1", [zero](Experiment &each) {
                each.model.denseLayers = 1;
                each.model.dtype = zero == 0 ? model::DataType::Fp32 : model::DataType::Bf16;
                each.parallel.replicas = 2;
                each.parallel.expert = 2;
                each.parallel.expertHeadroom = 4;
                each.parallel.zero = zero;
                each.training.mode = zero == 0 ? model::RunMode::Live : model::RunMode::VirtualClock;
            });
    }

    /// Together with offloaded activations, which a run copies beside its passes.
    void optimizerWithActivations()
    {
        auto experiment = smallExperiment("1f1b", VocabularyMethod::Vocab1, 4, 6);
        experiment.schedule.offload.fraction = 1;
        const auto offloaded = simulate::withOffload(experiment, scheduleOf(experiment)).value();
        const auto both = onHost(experiment, Kept::Optimizer);
        QVERIFY(test::sameBits(test::gradientsOf(both, offloaded), test::gradientsOf(experiment, offloaded)));
        compareBytes(both, offloaded);
    }

    void bytesAreThoseOfThePlan()
    {
        STAGELENS_NOT_UNDER_TSAN();
        int turn = 0;
        for (const char *family : {"1f1b", "gpipe", "v-half", "zb-h1", "interleaved-1f1b", "dualpipe", "interlaced"})
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2})
                for (const Kept kept : {Kept::Optimizer, Kept::Parameters})
                    if (const Experiment experiment = onHost(sample(family, method, turn++), kept);
                        method == VocabularyMethod::None || family != std::string("interlaced")) {
                        compareBytes(experiment, scheduleOf(experiment));
                        if (QTest::currentTestFailed())
                            return;
                    }
        auto ranks = smallExperiment("1f1b", VocabularyMethod::Vocab1, 2, 4);
        ranks.parallel.replicas = 2;
        ranks.parallel.zero = 2;
        compareBytes(onHost(ranks, Kept::Parameters), scheduleOf(ranks));
    }

    /// Of the 16 bytes of a parameter in fp32, a device keeps the gradient, weights of two layers, and the vocabulary.
    void devicesKeepLess()
    {
        const auto experiment = smallExperiment("1f1b", VocabularyMethod::None, 2, 4);
        const auto schedule = scheduleOf(experiment);
        const auto planOf = [&](const Experiment &each) { return runtime::memoryPlan(each, schedule).value().front(); };
        const auto all = planOf(experiment);
        const auto optimizer = planOf(onHost(experiment, Kept::Optimizer));
        const auto parameters = planOf(onHost(experiment, Kept::Parameters));
        using simulate::MemoryCategory;
        const auto of = [](const runtime::DevicePlan &plan, MemoryCategory category) {
            return plan.peak[simulate::at(category)];
        };
        QCOMPARE(of(optimizer, MemoryCategory::Optimizer), base::Bytes{0});
        QCOMPARE(of(optimizer, MemoryCategory::Parameters), of(all, MemoryCategory::Parameters));
        QCOMPARE(of(parameters, MemoryCategory::Gradients), of(all, MemoryCategory::Gradients));
        // Four layers of 16 x 48 + 16 x 16 + 2 x 16 x 64 numbers, biases and norms, of which two stay.
        constexpr base::Bytes kLayer = 4 * (16 * 48 + 48 + 16 * 16 + 16 + 2 * 16 * 64 + 64 + 16 + 4 * 16);
        QCOMPARE(of(all, MemoryCategory::Parameters) - of(parameters, MemoryCategory::Parameters), 2 * kLayer);
        QVERIFY(optimizer.hostPeak > of(all, MemoryCategory::Optimizer) + of(all, MemoryCategory::Parameters));
        QCOMPARE(parameters.hostPeak, optimizer.hostPeak);
    }

    /// A live run copies no faster than the link.
    void copiesKeepToTheLink()
    {
        auto experiment = onHost(smallExperiment("gpipe", VocabularyMethod::None, 2, 4), Kept::Parameters);
        experiment.training.steps = 1;
        experiment.schedule.hostBandwidth = 0.01; // a layer of 13 kB takes 1.3 ms
        for (const model::RunMode mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
            experiment.training.mode = mode;
            base::Nanos first = 0;
            const auto onStep = [&](const runtime::StepReport &report) {
                first = report.timeline->lanes[1].end.front() - report.timeline->lanes[1].begin.front();
            };
            QVERIFY(runtime::train(experiment, scheduleOf(experiment), {}, {onStep, {}}, {}).ok());
            QVERIFY2(first > 4 * 1'200'000, qPrintable(QString("%1 ns for 4 layers").arg(first)));
        }
    }

    void tooLittleHostMemoryIsRefused()
    {
        auto experiment = onHost(smallExperiment("1f1b", VocabularyMethod::None, 4, 6), Kept::Parameters);
        const auto schedule = scheduleOf(experiment);
        base::Bytes need = 0;
        for (const runtime::DevicePlan &plan : runtime::memoryPlan(experiment, schedule).value())
            need += plan.hostPeak;
        experiment.schedule.hostMemory = need;
        QVERIFY(runtime::checkRun(experiment, schedule).ok());
        QVERIFY(simulate::plannedSchedule(experiment).ok());
        experiment.schedule.hostMemory = need - 1;
        const auto refused = runtime::checkRun(experiment, schedule);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.front().field, std::string("schedule.host_memory"));
        QVERIFY(refused.error().text().find("--no-offload-optimizer") != std::string::npos);
        QVERIFY(!simulate::plannedSchedule(experiment).ok());
    }

    void refusals()
    {
        const auto plan = [](Kept kept) { return onHost(smallExperiment("1f1b", VocabularyMethod::None, 2, 4), kept); };
        QCOMPARE(refusalOf(plan(Kept::Parameters)), std::string());
        auto alone = plan(Kept::Parameters);
        alone.schedule.offloadOptimizer = false;
        QVERIFY(refusalOf(alone).find("choose no, or --offload-optimizer") != std::string::npos);
        auto rows = plan(Kept::Optimizer);
        rows.training.optimizer.name = "adafactor";
        QVERIFY(refusalOf(rows).find("schedule.offload_optimizer") != std::string::npos);
        auto shards = plan(Kept::Optimizer);
        shards.parallel.replicas = 2;
        shards.parallel.zero = 3;
        QVERIFY(refusalOf(shards).find("choose no, or zero 2") != std::string::npos);
        auto both = plan(Kept::Parameters);
        both.schedule.offload.isAuto = true;
        QVERIFY(refusalOf(both).find("schedule.offload_parameters") != std::string::npos);
        auto versions = onHost(smallExperiment("pipedream", VocabularyMethod::None, 2, 4), Kept::Optimizer);
        QVERIFY(refusalOf(versions).find("several versions") != std::string::npos);
        QVERIFY(!simulate::plannedSchedule(versions).ok());
    }

private:
    /// Compares the gradients with the reference, which has fp32.
    static void verify(const Experiment &experiment)
    {
        if (!QTest::currentTestFailed() && experiment.model.dtype == model::DataType::Fp32)
            test::verifyPlan(experiment);
    }
    [[nodiscard]] Trained train(const Experiment &experiment) const
    {
        return test::trainedWithDump(experiment, std::filesystem::path(m_folder.path().toStdString()) / "dump");
    }
    void compareBits(const Experiment &experiment, const std::string &what) const
    {
        const Trained expected = train(experiment);
        for (const Kept kept : {Kept::Optimizer, Kept::Parameters}) {
            const Trained trained = train(onHost(experiment, kept));
            QVERIFY2(trained.losses == expected.losses, what.c_str());
            QVERIFY2(trained.gradients == expected.gradients, what.c_str());
            QVERIFY2(trained.final == expected.final, what.c_str());
        }
    }
    /// Compares the peaks of every device and its host with the plan and with the prediction.
    static void compareBytes(const Experiment &experiment, const schedule::Schedule &schedule)
    {
        const auto plans = runtime::memoryPlan(experiment, runtime::lowered(schedule)).value();
        const auto onStep = [&](const runtime::StepReport &report) {
            for (int device = 0; device < schedule.devices(); ++device) {
                const auto at = static_cast<std::size_t>(device);
                for (std::size_t i = 0; i < report.peakMemory[at].size(); ++i)
                    if (i != simulate::at(simulate::MemoryCategory::Communication))
                        QCOMPARE(report.peakMemory[at][i], plans[at].peak[i]);
                QCOMPARE(report.peakHost[at], plans[at].hostPeak);
                QCOMPARE(report.peakHost[at], simulate::peakHostBytes(experiment, schedule, device));
                QVERIFY(report.peakHost[at] <= plans[at].hostBytes());
            }
        };
        const auto trained = runtime::train(experiment, schedule, {}, {onStep, {}}, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
    }

    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingHostState)

} // namespace integration_training_host_state

#include "training/host_state.moc"
