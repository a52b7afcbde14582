// Training with the GPU backend without a GPU: the plug-in with the CUDA emulator, loaded like the real one.
#include "engine/base/text.h"
#include "engine/model/capabilities.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/plan/shape.h"
#include "engine/simulate/memory.h"
#include "tests/cuda_emulator/devices.h"
#include "tests/support/cli_runner.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/fibre_plans.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/trained.h"
#include "tests/support/verify_matrix.h"

#include <QFile>
#include <QJsonArray>

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace integration_gpu_on_host {

using namespace stagelens;
using model::VocabularyMethod;
using test::inBf16;
using test::lossesOf;
using test::onGpu;

namespace {

// Functions of tests/cuda_emulator/devices.h in the loaded plug-in.
decltype(&stagelensSetFibreGpus) setGpus = nullptr;
decltype(&stagelensLoseFibreGpusAfter) loseGpusAfter = nullptr;
decltype(&stagelensTakenOfFibreGpu) takenBytes = nullptr;
decltype(&stagelensReleasedEarlyOnFibreGpus) releasedEarly = nullptr;
decltype(&stagelensListenToFibres) listen = nullptr;
decltype(&stagelensRangesOfFibres) rangesHeard = nullptr;

/// Calls `check(plan, isBf16)` with plans of two steps: fp32 and bf16, whole and sharded vocabulary layers.
template <typename Check>
void forPlansOfTwoSteps(const Check &check)
{
    for (const bool isBf16 : {false, true})
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            if (test::kIsSanitized && (!isBf16 || method != VocabularyMethod::Vocab1))
                continue;
            model::Experiment plan = onGpu("1f1b", method);
            if (isBf16)
                plan = inBf16(plan, 2);
            plan.training.steps = 2;
            check(plan, isBf16);
            if (QTest::currentTestFailed())
                return;
        }
}

} // namespace

class GpuOnHost : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const test::FibrePlugin plugin;
        QVERIFY2(plugin.gpus().problem.empty(), plugin.gpus().problem.c_str());
        QCOMPARE(plugin.gpus().gpus.size(), std::size_t{1});
        QCOMPARE(plugin.gpus().gpus.front().name, std::string("fibres on the host"));
        QVERIFY(plugin.find(setGpus, "stagelensSetFibreGpus"));
        QVERIFY(plugin.find(loseGpusAfter, "stagelensLoseFibreGpusAfter"));
        QVERIFY(plugin.find(takenBytes, "stagelensTakenOfFibreGpu"));
        QVERIFY(plugin.find(releasedEarly, "stagelensReleasedEarlyOnFibreGpus"));
        QVERIFY(plugin.find(listen, "stagelensListenToFibres"));
        QVERIFY(plugin.find(rangesHeard, "stagelensRangesOfFibres"));
    }

    void init() { setGpus(1, std::size_t{1} << 30); }
    void cleanup() { QCOMPARE(releasedEarly(), 0); }

    void trainsLikeTheReference_data()
    {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("isLlama");
        QTest::addColumn<bool>("isTied");
        test::Sample sample;
        const auto row = [&sample](const char *schedule, VocabularyMethod method, bool isLlama, bool isTied) {
            if (sample.leavesOut())
                return;
            QTest::addRow("%s %s%s%s", schedule, model::name(method).data(), isLlama ? " llama" : "", isTied ? " tied" : "")
                << schedule << static_cast<int>(method) << isLlama << isTied;
        };
        for (const VocabularyMethod method : test::kAllMethods)
            row("1f1b", method, false, false);
        row("zb-h1", VocabularyMethod::Vocab2, true, false);
        row("interlaced", VocabularyMethod::None, true, false);
        row("1f1b", VocabularyMethod::Vocab1, false, true);
        row("pipedream", VocabularyMethod::None, false, false);
        row("dualpipe", VocabularyMethod::Vocab1, true, false);
    }
    void trainsLikeTheReference()
    {
        QFETCH(QString, schedule);
        QFETCH(int, method);
        QFETCH(bool, isLlama);
        QFETCH(bool, isTied);
        model::Experiment plan = onGpu(schedule.toStdString(), static_cast<VocabularyMethod>(method), isLlama);
        plan.model.tied = isTied;
        test::verifyPlan(plan);
    }

    void severalRanksTrainLikeTheReference_data()
    {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("isLlama");
        QTest::addColumn<bool>("isBf16");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("isSequenceParallel");
        QTest::addColumn<int>("replicas");
        QTest::addColumn<int>("zero");
        test::Sample sample;
        const auto row = [&sample](const char *schedule, VocabularyMethod method, bool isLlama, bool isBf16, int tensor,
                                   bool isSequenceParallel, int replicas, int zero) {
            if (sample.leavesOut())
                return;
            QTest::addRow("%s %s%s%s t %d%s d %d zero %d", schedule, model::name(method).data(), isLlama ? " llama" : "",
                          isBf16 ? " bf16" : "", tensor, isSequenceParallel ? " sequence-parallel" : "", replicas, zero)
                << schedule << static_cast<int>(method) << isLlama << isBf16 << tensor << isSequenceParallel << replicas
                << zero;
        };
        row("1f1b", VocabularyMethod::Vocab2, false, true, 2, true, 2, 3);
        row("1f1b", VocabularyMethod::None, false, false, 2, false, 1, 0);
        row("zb-h1", VocabularyMethod::Vocab1, true, false, 2, true, 2, 1);
        row("1f1b", VocabularyMethod::Naive, false, false, 2, true, 1, 0);
        row("1f1b", VocabularyMethod::Redis, true, true, 2, false, 2, 2);
        row("interlaced", VocabularyMethod::None, false, false, 2, false, 1, 0);
        row("chimera", VocabularyMethod::None, false, false, 1, false, 2, 3);
    }
    void severalRanksTrainLikeTheReference()
    {
        QFETCH(QString, schedule);
        QFETCH(int, method);
        QFETCH(bool, isLlama);
        QFETCH(bool, isBf16);
        QFETCH(int, tensor);
        QFETCH(bool, isSequenceParallel);
        QFETCH(int, replicas);
        QFETCH(int, zero);
        model::Experiment plan = onGpu(schedule.toStdString(), static_cast<VocabularyMethod>(method), isLlama);
        if (isBf16) {
            plan = inBf16(plan, 2);
            plan.model.hidden = 64;
            plan.model.ffn = 128;
            plan.model.sequence = 16;
        }
        plan.parallel.tensor = tensor;
        plan.parallel.sequenceParallel = isSequenceParallel;
        plan.parallel.replicas = replicas;
        plan.parallel.zero = zero;
        test::verifyPlan(operators::resolved(plan, 2));
    }

    /// ZeRO moves states but changes no bits, nor does running all ranks at once, or a checkpoint.
    void severalRanksGiveTheSameBits()
    {
        STAGELENS_NOT_SANITIZED();
        model::Experiment plan = inBf16(onGpu("1f1b", VocabularyMethod::Vocab2), 2);
        plan.parallel.tensor = 2;
        plan.parallel.replicas = 2;
        plan.parallel.sequenceParallel = true;
        plan.training.optimizer.clip = 0.5;
        plan.training.steps = 3;
        const std::vector<double> losses = lossesOf(plan);
        QCOMPARE(losses.size(), std::size_t{3});
        for (const int zero : {1, 2, 3}) {
            if (test::kIsSanitized && zero < 3)
                continue;
            plan.parallel.zero = zero;
            QCOMPARE(lossesOf(plan), losses);
        }
        plan.training.mode = model::RunMode::Live;
        QCOMPARE(lossesOf(plan), losses);
        const QTemporaryDir folder;
        runtime::RunFolders folders;
        folders.checkpoints = folder.path().toStdString();
        folders.checkpointEvery = 2;
        plan.training.steps = 2;
        (void)lossesOf(plan, folders);
        runtime::RunFolders before;
        before.resume = folders.checkpoints;
        plan.training.steps = 3;
        QCOMPARE(lossesOf(plan, before), std::vector<double>{losses.back()});
        plan.training.backend = "cpu";
        QVERIFY(std::abs(lossesOf(plan).back() - losses.back()) <= 2e-2);
    }

    void trainsInBf16_data()
    {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("isLlama");
        QTest::addColumn<bool>("isTied");
        QTest::addColumn<bool>("recomputes");
        const auto row = [](const char *schedule, VocabularyMethod method, bool isLlama, bool isTied = false,
                            bool recomputes = false) {
            QTest::addRow("%s %s%s%s%s", schedule, model::name(method).data(), isLlama ? " llama" : "", isTied ? " tied" : "",
                          recomputes ? " recomputed" : "")
                << schedule << static_cast<int>(method) << isLlama << isTied << recomputes;
        };
        row("zb-h1", VocabularyMethod::Vocab2, false);
        row("1f1b", VocabularyMethod::Vocab1, true);
        if (test::kIsSanitized)
            return;
        for (const VocabularyMethod method : test::kAllMethods)
            row("1f1b", method, false);
        row("1f1b", VocabularyMethod::Vocab2, true);
        row("zb-h1", VocabularyMethod::None, true, false, true);
        row("interlaced", VocabularyMethod::None, false);
        row("1f1b", VocabularyMethod::Vocab1, false, true);
        row("1f1b", VocabularyMethod::None, true, true);
        row("pipedream", VocabularyMethod::None, false);
        row("pipedream-2bw", VocabularyMethod::Redis, true);
        row("dualpipe", VocabularyMethod::Vocab1, true, false, true);
        row("1f1b", VocabularyMethod::Vocab2, false, false, true);
    }
    void trainsInBf16()
    {
        QFETCH(QString, schedule);
        QFETCH(int, method);
        QFETCH(bool, isLlama);
        QFETCH(bool, isTied);
        QFETCH(bool, recomputes);
        model::Experiment plan = inBf16(onGpu(schedule.toStdString(), static_cast<VocabularyMethod>(method), isLlama), 2);
        // Rounding errors average out over many numbers, as in a real model.
        plan.model.hidden = 64;
        plan.model.ffn = 128;
        plan.model.sequence = 16;
        plan.model.tied = isTied;
        plan.schedule.recompute = recomputes ? model::Recompute::Full : model::Recompute::None;
        test::verifyPlan(plan);
    }

    /// Rebuilt norms, attention and SwiGLU have the bits of kept ones; GELU is refused.
    void rebuildsTheSameBitsInBf16()
    {
        STAGELENS_NOT_SANITIZED();
        for (const bool isLlama : {false, true}) {
            model::Experiment plan = inBf16(onGpu("zb-h1", VocabularyMethod::None, isLlama), 2);
            plan.training.steps = 2;
            const std::vector<double> losses = lossesOf(plan);
            plan.schedule.recomputeLayers = {1};
            plan.schedule.recomputeModules = {true, isLlama, true};
            QVERIFY(model::unsupported(plan, model::Use::Run).empty());
            QCOMPARE(lossesOf(plan), losses);
            plan.schedule.recomputeModules.activation = true;
            QCOMPARE(model::unsupported(plan, model::Use::Run).empty(), isLlama);
        }
    }

    /// Logits that are multiplied again have the bits of those that were kept.
    void rebuildsLogits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        forPlansOfTwoSteps([](model::Experiment plan, bool /*isBf16*/) {
            const std::vector<double> losses = lossesOf(plan);
            QCOMPARE(losses.size(), std::size_t{2});
            plan.schedule.vocabularyKind = model::VocabularyKind::RecomputeLogits;
            QCOMPARE(lossesOf(plan), losses);
        });
    }

    /// A part of the tokens at a time: losses differ by rounding.
    void computesLogitsInChunks()
    {
        STAGELENS_NOT_UNDER_TSAN();
        forPlansOfTwoSteps([](model::Experiment plan, bool isBf16) {
            const std::vector<double> losses = lossesOf(plan);
            plan.schedule.vocabularyKind = model::VocabularyKind::Chunked;
            for (const int chunks : {1, 4}) { // of 6 tokens
                plan.schedule.logitChunks = chunks;
                QVERIFY(model::unsupported(plan, model::Use::Run).empty());
                const std::vector<double> found = lossesOf(plan);
                QCOMPARE(found.size(), std::size_t{2});
                QVERIFY(std::abs(found[0] - losses[0]) < 1e-6 * losses[0]);
                QVERIFY(std::abs(found[1] - losses[1]) < (isBf16 ? 1e-3 : 1e-5) * losses[1]);
            }
        });
    }

    /// Products with maps of few columns, which fill no tile of a GPU, and several rows of the input table for a token.
    void factorisesTheVocabulary()
    {
        STAGELENS_NOT_UNDER_TSAN();
        forPlansOfTwoSteps([](model::Experiment plan, bool isBf16) {
            plan.model.vocabularyWidth = 5;
            plan.model.inputHashes = plan.schedule.vocabulary == VocabularyMethod::Vocab1 ? 0 : 2;
            QVERIFY(model::unsupported(plan, model::Use::Run).empty());
            const std::vector<double> found = lossesOf(plan);
            model::Experiment onProcessors = plan;
            onProcessors.training.backend = "cpu";
            onProcessors.cost.source = model::HardwarePreset{};
            const std::vector<double> losses = lossesOf(onProcessors);
            QCOMPARE(found.size(), std::size_t{2});
            QVERIFY(std::abs(found[0] - losses[0]) < (isBf16 ? 1e-3 : 1e-5) * losses[0]);
            QVERIFY(std::abs(found[1] - losses[1]) < (isBf16 ? 1e-2 : 1e-4) * losses[1]);
        });
    }

    /// Several heads, whose last tokens have no labels.
    void predictsFurtherTokens()
    {
        STAGELENS_NOT_UNDER_TSAN();
        forPlansOfTwoSteps([](model::Experiment plan, bool isBf16) {
            plan.model.outputHeads = 3;
            QVERIFY(model::unsupported(plan, model::Use::Run).empty());
            const std::vector<double> found = lossesOf(plan);
            model::Experiment onProcessors = plan;
            onProcessors.training.backend = "cpu";
            onProcessors.cost.source = model::HardwarePreset{};
            const std::vector<double> losses = lossesOf(onProcessors);
            QCOMPARE(found.size(), std::size_t{2});
            QVERIFY(std::abs(found[0] - losses[0]) < (isBf16 ? 1e-3 : 1e-5) * losses[0]);
            QVERIFY(std::abs(found[1] - losses[1]) < (isBf16 ? 1e-2 : 1e-4) * losses[1]);
        });
    }

    void tenStepsInBf16_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("isLlama");
        QTest::newRow("gpt vocab-2") << static_cast<int>(VocabularyMethod::Vocab2) << false;
        if (!test::kIsSanitized)
            QTest::newRow("llama vocab-1") << static_cast<int>(VocabularyMethod::Vocab1) << true;
    }
    /// Compares their losses with fp32 on the processor, and the bits of two runs.
    void tenStepsInBf16()
    {
        STAGELENS_NOT_SANITIZED();
        QFETCH(int, method);
        QFETCH(bool, isLlama);
        model::Experiment plan = inBf16(onGpu("1f1b", static_cast<VocabularyMethod>(method), isLlama), 2);
        plan.training.steps = 10;
        const std::vector<double> losses = lossesOf(plan);
        QCOMPARE(losses.size(), std::size_t{10});
        QCOMPARE(lossesOf(plan), losses);
        plan.training.backend = "cpu";
        const std::vector<double> expected = lossesOf(plan);
        QVERIFY(expected != losses);
        for (std::size_t step = 0; step < losses.size(); ++step)
            QVERIFY2(std::abs(losses[step] - expected[step]) <= 2e-2,
                     fmt::format("step {}: {}, on the processor {}", step, losses[step], expected[step]).c_str());
    }

    /// The memory of a bf16 device equals its plan and its prediction to the byte.
    void holdsInBf16WhatIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        int turn = 0;
        test::Sample sample;
        for (const char *family : {"1f1b", "zb-h1", "pipedream", "pipedream-2bw", "v-half", "interlaced"}) {
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Naive, VocabularyMethod::Vocab2}) {
                if (sample.leavesOut())
                    continue;
                if (!test::refusedField(family, method, 2).empty())
                    continue;
                model::Experiment plan = inBf16(onGpu(family, method, ++turn % 2 == 0));
                plan.parallel.microbatchSize = 1;
                plan.model.sequence = 5;
                plan.model.tied = turn % 3 == 0;
                plan.schedule.recompute = turn % 4 < 2 ? model::Recompute::Full : model::Recompute::None;
                if (turn % 4 >= 2)
                    test::recomputeParts(plan, 2 * turn + 1);
                if (plan.model.family == model::ModelFamily::Gpt)
                    plan.schedule.recomputeModules.activation = false; // refused on GPUs
                plan.training.steps = 1;
                const schedule::Schedule schedule = test::scheduleOf(plan);
                const auto planned = runtime::memoryPlan(plan, runtime::lowered(schedule));
                QVERIFY(planned.ok());
                runtime::TrainingObserver observer;
                observer.onStep = [&](const runtime::StepReport &report) {
                    for (std::size_t device = 0; device < 2; ++device) {
                        simulate::MemoryByCategory held = report.peakMemory[device];
                        simulate::MemoryByCategory peak = (*planned)[device].peak;
                        simulate::MemoryByCategory predicted =
                            simulate::memoryPeak(plan, schedule, *report.timeline, static_cast<int>(device)).byCategory;
                        QVERIFY(held[backend::kMessages] <= peak[backend::kMessages]);
                        held[backend::kMessages] = peak[backend::kMessages] = predicted[backend::kMessages] = 0;
                        QCOMPARE(peak, predicted);
                        QVERIFY(held[0] <= peak[0]);
                        if ((*planned)[device].weightVersions > 1) // the most that may be in flight
                            held[0] = peak[0];
                        QCOMPARE(held, peak);
                    }
                };
                const auto trained = runtime::train(plan, schedule, {}, observer, {});
                QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
            }
        }
    }

    /// Restores master weights, rounded copies and their previous version.
    void goesOnInBf16()
    {
        STAGELENS_NOT_SANITIZED();
        for (const char *family : {"1f1b", "pipedream", "pipedream-2bw"}) {
            const QTemporaryDir folder;
            runtime::RunFolders folders;
            folders.checkpoints = folder.path().toStdString();
            folders.checkpointEvery = 2;
            if (test::kIsSanitized && std::string_view(family) != "pipedream-2bw")
                continue;
            model::Experiment plan = inBf16(onGpu(family, VocabularyMethod::None), 2);
            plan.parallel.microbatchSize = 1;
            plan.model.sequence = 5;
            plan.training.steps = 2;
            std::vector<double> losses = lossesOf(plan, folders);
            plan.training.steps = 4;
            runtime::RunFolders before;
            before.resume = folders.checkpoints;
            const std::vector<double> rest = lossesOf(plan, before);
            losses.insert(losses.end(), rest.begin(), rest.end());
            QCOMPARE(losses.size(), std::size_t{4});
            QCOMPARE(losses, lossesOf(plan));
        }
    }

    /// Optimizers update master weights in float.
    void scalesFloatsInBf16()
    {
        const auto computes = runtime::makeComputes(inBf16(onGpu("1f1b", VocabularyMethod::None)), {0}, {0}, {});
        QVERIFY(computes.ok());
        backend::Compute &compute = *computes->front();
        backend::Pool pool({}, compute.memory());
        backend::Buffer sum = pool.allocate(3, 0);
        backend::Buffer term = pool.allocate(3, 0);
        const auto fill = [&](backend::Buffer &buffer, float first) {
            compute.write(buffer.data(), 3, [&](std::span<float> block, std::int64_t at) {
                for (float &value : block)
                    value = first + static_cast<float>(at++);
            });
        };
        fill(sum, 1.0009765F); // more bits than bf16 has
        fill(term, 10);
        compute.scale(sum.data(), sum.data(), 0.5F, 3);
        compute.addScaled(sum.data(), term.data(), -2, 3);
        std::array<float, 3> values{};
        compute.read(values, sum.data());
        for (std::size_t i = 0; i < values.size(); ++i)
            QCOMPARE(values[i], (1.0009765F + static_cast<float>(i)) / 2 - 2 * (10 + static_cast<float>(i)));
    }

    void refusesWhatBf16CannotBe()
    {
        const auto refused = [](const model::Experiment &plan) {
            const auto found = runtime::verify(plan, test::scheduleOf(plan), {});
            return found ? std::string() : found.error().text();
        };
        model::Experiment narrow = inBf16(onGpu("1f1b", VocabularyMethod::None));
        narrow.model.ffn = 60;
        QVERIFY2(refused(narrow).find("model.ffn: is 60") != std::string::npos, refused(narrow).c_str());
        narrow.training.backend = "cpu";
        QCOMPARE(QString::fromStdString(refused(narrow)), QString());
    }

    void givesTheSameBitsTwice_data()
    {
        QTest::addColumn<bool>("isBf16");
        QTest::newRow("fp32") << false;
        QTest::newRow("bf16") << true;
    }
    void givesTheSameBitsTwice()
    {
        QFETCH(bool, isBf16);
        model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab2);
        if (isBf16)
            plan = inBf16(plan);
        const schedule::Schedule schedule = test::scheduleOf(plan);
        const auto first = test::stepGradients(plan, schedule);
        QVERIFY2(first.ok(), first ? "" : first.error().text().c_str());
        plan.training.mode = model::RunMode::Live;
        const auto second = test::stepGradients(plan, schedule);
        QVERIFY2(second.ok(), second ? "" : second.error().text().c_str());
        QCOMPARE(*first, *second);
    }

    void fourDevicesShareTwoGpus()
    {
        setGpus(2, std::size_t{1} << 30);
        model::Experiment plan = test::smallExperiment("1f1b", VocabularyMethod::Vocab1, 4, 3);
        plan.training.backend = "cuda";
        plan.training.mode = model::RunMode::Live;
        std::array<std::size_t, 2> held{};
        runtime::TrainingObserver observer;
        observer.onStep = [&held](const runtime::StepReport &) { held = {takenBytes(0), takenBytes(1)}; };
        plan.training.steps = 1;
        const auto trained = runtime::train(plan, test::scheduleOf(plan), {}, observer, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        QVERIFY(held[0] > 0 && held[1] > 0);
        QCOMPARE(takenBytes(0) + takenBytes(1), std::size_t{0});
    }

    void aLostGpuEndsTheRun()
    {
        model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab2);
        plan.training.steps = 1;
        plan.training.optimizer.clip = 1;
        const schedule::Schedule schedule = test::scheduleOf(plan);
        int ended = 0;
        // From the creation of the devices to the optimizer.
        for (const int waits : test::kIsSanitized ? std::vector{3, 40, 120, 200}
                                                  : std::vector{0, 1, 3, 10, 20, 40, 80, 120, 160, 200, 240, 280}) {
            loseGpusAfter(waits);
            const auto trained = runtime::train(plan, schedule, {}, {}, {});
            loseGpusAfter(-1);
            QCOMPARE(takenBytes(0), std::size_t{0});
            if (trained)
                continue;
            ++ended;
            const std::string text = trained.error().text();
            QCOMPARE(trained.error().kind, base::ErrorKind::Failed);
            QVERIFY2(text.find("the GPU failed in ") != std::string::npos, text.c_str());
        }
        QVERIFY(ended >= (test::kIsSanitized ? 2 : 6));
        QVERIFY(runtime::train(plan, schedule, {}, {}, {}).ok());
    }

    void checksItsKernels()
    {
        STAGELENS_NOT_SANITIZED();
        const auto checks = runtime::checkKernels(false);
        QVERIFY2(checks.ok(), checks ? "" : checks.error().text().c_str());
        QVERIFY(checks->size() > 40);
        for (const backend::KernelCheck &check : *checks)
            QVERIFY2(check.holds(), fmt::format("{} {} {}: {} of {} {}", check.kernel, check.type, check.shape, check.error,
                                                check.bound, check.fault)
                                        .c_str());
    }

    void saysHowWellClocksAreAlignedAndWhatMemoryIsTaken()
    {
        model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab2);
        plan.training.mode = model::RunMode::Live;
        plan.training.steps = 2;
        std::vector<std::map<std::string, std::string>> facts;
        std::size_t held = 0;
        runtime::TrainingObserver observer;
        observer.onStep = [&](const runtime::StepReport &report) {
            facts.push_back(report.facts);
            held = takenBytes(0);
        };
        const auto trained = runtime::train(plan, test::scheduleOf(plan), {}, observer, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        QCOMPARE(facts.size(), std::size_t{2});
        QVERIFY(facts.front()["clocks"].starts_with("aligned within "));
        QVERIFY(facts.front()["clocks"].ends_with(" us"));
        const std::string memory = facts.front()["gpu memory"];
        QVERIFY2(memory.starts_with("GPU 0: planned "), memory.c_str());
        QVERIFY2(memory.find(fmt::format("measured {}", base::bytesText(static_cast<base::Bytes>(held)))) != std::string::npos,
                 memory.c_str());
        QVERIFY2(memory.find("more than planned") == std::string::npos, memory.c_str());
        QCOMPARE(facts.back()["gpu memory"], memory);
    }

    void namesItsPassesForTools()
    {
        const model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab1);
        QVERIFY(test::stepGradients(plan, test::scheduleOf(plan)).ok());
        QCOMPARE(std::string(rangesHeard()), std::string());
        listen(true);
        const auto made = test::stepGradients(plan, test::scheduleOf(plan));
        listen(false);
        QVERIFY(made.ok());
        const std::string ranges = rangesHeard();
        for (const char *range : {"F 0, stage 0", "B 1, stage 1", "S 0, stage ", "T 1, stage "})
            QVERIFY2(ranges.find(range) != std::string::npos, ranges.c_str());
    }

    void recordsTheKernelsOfItsPasses()
    {
        for (const auto mode : {model::RunMode::VirtualClock, model::RunMode::Live}) {
            model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab2);
            plan.training.mode = mode;
            plan.training.steps = 2;
            std::vector<runtime::StepReport> reports;
            runtime::TrainingObserver observer;
            observer.onStep = [&](const runtime::StepReport &report) { reports.push_back(report); };
            runtime::RunFolders folders;
            folders.recordsKernels = true;
            const auto trained = runtime::train(plan, test::scheduleOf(plan), folders, observer, {});
            QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
            QVERIFY(!reports.front().kernels);
            const timeline::KernelTracePtr kernels = reports.back().kernels;
            QVERIFY(kernels && !kernels->slices.empty());
            std::set<std::pair<int, std::size_t>> passes; // with a kernel
            for (const timeline::KernelSlice &slice : kernels->slices) {
                const timeline::Lane &lane = reports.back().timeline->lanes[static_cast<std::size_t>(slice.device)];
                QVERIFY(slice.begin <= slice.end);
                const auto place = timeline::sliceAt(lane, slice.begin);
                QVERIFY(place && slice.end <= lane.end[*place]);
                passes.insert({slice.device, *place});
            }
            QCOMPARE(passes.size(), reports.back().timeline->sliceCount());
            const auto hasName = [&](const char *part) {
                return std::ranges::any_of(kernels->names,
                                           [part](const std::string &name) { return name.find(part) != std::string::npos; });
            };
            QVERIFY(hasName("product"));
            QVERIFY(hasName("layerNorm") || hasName("norm"));
        }
    }

    void theCommandLineWritesKernelsAsATrace()
    {
        const test::CliRunner cli;
        const test::CliAnswer answer =
            cli.run(QStringLiteral("run --backend cuda --layers 2 --hidden 16 --heads 2 --sequence 8 --vocabulary-size 64 "
                                   "--devices 2 --microbatches 2 --steps 1 --mode live --kernels trace.json --json"));
        QVERIFY2(answer.status == 0, answer.err);
        const QJsonObject run = answer.object();
        QVERIFY(run[QLatin1String("kernels")][QLatin1String("slices")].toArray().size() > 20);
        const QJsonValue environment = run[QLatin1String("environment")];
        QVERIFY(environment[QLatin1String("devices")].toString().startsWith(
            QStringLiteral("2 ranks on 1 x fibres on the host, at once")));
        QVERIFY(environment[QLatin1String("clocks")].toString().startsWith(QStringLiteral("aligned within ")));
        QFile file(cli.path(QStringLiteral("trace.json")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        int kernels = 0;
        for (const QJsonValue &event : QJsonDocument::fromJson(file.readAll())[QLatin1String("traceEvents")].toArray())
            kernels += event[QLatin1String("cat")].toString() == QStringLiteral("kernel") ? 1 : 0;
        QVERIFY(kernels > 20);
        const test::CliAnswer stored = cli.run(QStringLiteral("runs show 1"));
        QVERIFY2(stored.out.contains("aligned within ") && stored.out.contains("measured "), stored.out);
    }

    void timesItsKernels()
    {
        STAGELENS_NOT_SANITIZED();
        const auto figures = runtime::benchKernels(backend::BenchShapes::Small, backend::BenchKernels::All, {});
        QVERIFY2(figures.ok(), figures ? "" : figures.error().text().c_str());
        std::map<std::string, const backend::KernelFigure *> byName;
        for (const backend::KernelFigure &figure : *figures) {
            const std::string text = fmt::format("{}, {}: {}", figure.name, figure.shape, figure.fault);
            QVERIFY2(figure.fault.empty() && figure.seconds.size() == 3, text.c_str());
            QVERIFY2(std::ranges::all_of(figure.seconds, [](double seconds) { return seconds > 0; }), text.c_str());
            QVERIFY2((figure.flops > 0) != (figure.bytes > 0), text.c_str());
            byName.emplace(fmt::format("{}, {}", figure.name, figure.shape), &figure);
        }
        const auto flopsOf = [&](const char *name) { return byName.contains(name) ? byName[name]->flops : -1; };
        const auto bytesOf = [&](const char *name) { return byName.contains(name) ? byName[name]->bytes : -1; };
        QCOMPARE(flopsOf("largest product, m 24, n 24, k 24"), 2.0 * 24 * 24 * 24);
        QCOMPARE(flopsOf("gradient of W (T), m 40, n 24, k 16"), 2.0 * 40 * 24 * 16);
        QCOMPARE(flopsOf("S + T of vocab-2, N 16, h 24, rows 40"), 3 * 2.0 * 16 * 24 * 40);
        QCOMPARE(flopsOf("attention forward, batch 1, T 33, heads 2, kv 1, d 64"), 2.0 * 33 * 33 * 128);
        QCOMPARE(flopsOf("attention backward, batch 1, T 33, heads 2, kv 1, d 64"), 5.0 * 33 * 33 * 128);
        QCOMPARE(bytesOf("copy, bytes 4096"), 2.0 * 4096);
        QCOMPARE(bytesOf("AdamW, values 256"), 34.0 * 256);
        QCOMPARE(bytesOf("softmax of a shard, in place (S), rows 8, width 40"), 2 * 2.0 * 8 * 40);
        QCOMPARE(bytesOf("gradient of the embedding, rows 8, width 32"), (2.0 + 8) * 8 * 32);
        QCOMPARE(takenBytes(0), std::size_t{0});
    }

    void theCommandLinesBenchmarkRunsSteps()
    {
        STAGELENS_NOT_SANITIZED();
        const test::CliAnswer answer = test::CliRunner().run(QStringLiteral("bench --backend cuda --small --json"));
        QVERIFY2(answer.status == 0, answer.err);
        const QJsonArray steps = answer.object()[QLatin1String("steps")].toArray();
        QCOMPARE(steps.size(), 9);
        for (const QJsonValue &step : steps) {
            QVERIFY2(step[QLatin1String("iteration_ns")].toDouble() > 0, QJsonDocument(step.toObject()).toJson());
            QVERIFY(step[QLatin1String("mfu_of_ceiling")].toDouble() > 0);
        }
        QVERIFY(answer.object()[QLatin1String("kernels")].toArray().size() > 60);
    }

    void refusesWhatDoesNotFit()
    {
        model::Experiment plan = onGpu("1f1b", VocabularyMethod::None);
        plan.model.vocabularySize = 4'000'000; // the GPU of fibres has 1 GiB
        const auto refused = runtime::verify(plan, test::scheduleOf(plan), {});
        QVERIFY(!refused.ok());
        const std::string text = refused.error().text();
        QVERIFY2(text.find("the ranks on GPU 0 (fibres on the host), 2 of them, take ") != std::string::npos, text.c_str());
    }
};

STAGELENS_TEST(GpuOnHost)

} // namespace integration_gpu_on_host

#include "gpu/on_host.moc"
