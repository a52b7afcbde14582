// Data parallelism: gradients against the reference, the bits that do not depend on ZeRO, mode and schedule, memory, and
// resumed runs on other meshes.
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>
#include <filesystem>

namespace integration_replicas {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
using test::smallExperiment;
using test::tinyExperiment;
using test::Trained;
namespace fs = std::filesystem;

namespace {

model::Experiment replicated(model::Experiment experiment, int replicas, int zero)
{
    experiment.parallel.replicas = replicas;
    experiment.parallel.zero = zero;
    return experiment;
}

} // namespace

class Replicas : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    void gradientsMatchTheReference_data() { test::addSynchronousFamilies(); }
    /// Every synchronous family; the turn chooses replicas, ZeRO, method, model family, tied weights and the mode.
    void gradientsMatchTheReference()
    {
        QFETCH(QString, family);
        const std::string name = family.toStdString();
        int turn = static_cast<int>(schedule::findFamily(name) - schedule::families().data());
        test::Sample sample(turn);
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            if (!test::refusedField(name, method, 2).empty())
                continue;
            for (const int devices : {2, 4}) {
                if (sample.leavesOut()) {
                    ++turn;
                    continue;
                }
                auto experiment = test::matrixExperiment(name, method, devices, turn % 2 == 0, turn);
                test::verifyPlan(replicated(std::move(experiment), 2 + turn / 2 % 2, turn / 3 % 4));
                if (QTest::currentTestFailed())
                    return;
                ++turn;
            }
        }
    }

    void bitsDependOnNeitherZeroNorModeNorSchedule_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("tied");
        QTest::addColumn<int>("replicas");
        test::Sample sample;
        for (const auto method : {VocabularyMethod::None, VocabularyMethod::Vocab2})
            for (const bool tied : {false, true})
                for (const int replicas : {2, 3}) {
                    if (sample.leavesOut())
                        continue;
                    QTest::addRow("%s, %s, d=%d", model::name(method).data(), tied ? "tied" : "untied", replicas)
                        << static_cast<int>(method) << tied << replicas;
                }
    }
    /// Five steps of AdamW with weight decay and clipping.
    void bitsDependOnNeitherZeroNorModeNorSchedule()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(int, method);
        QFETCH(bool, tied);
        QFETCH(int, replicas);
        const auto planOf = [&](const char *family, int zero, model::RunMode mode) {
            auto experiment = tinyExperiment(family, static_cast<VocabularyMethod>(method), 2, 4);
            experiment.model.tied = tied;
            experiment.training.steps = 5;
            experiment.training.mode = mode;
            experiment.training.optimizer.clip = 0.5;
            experiment.training.optimizer.weightDecay = 0.1;
            return replicated(std::move(experiment), replicas, zero);
        };
        const Trained whole = train(planOf("1f1b", 0, model::RunMode::VirtualClock), "whole");
        for (const auto &[family, zero, mode] : {std::tuple("1f1b", 1, model::RunMode::VirtualClock),
                                                 {"1f1b", 1, model::RunMode::Live},
                                                 {"1f1b", 0, model::RunMode::Live},
                                                 {"1f1b", 2, model::RunMode::Live},
                                                 {"1f1b", 3, model::RunMode::Live},
                                                 {"gpipe", 3, model::RunMode::VirtualClock},
                                                 {"gpipe", 1, model::RunMode::VirtualClock},
                                                 {"zb-h1", 1, model::RunMode::Live}}) {
            const Trained other = train(planOf(family, zero, mode), "other");
            QCOMPARE(other.losses, whole.losses);
            QVERIFY(other.gradients == whole.gradients);
            QVERIFY(other.final == whole.final);
        }
    }

    /// Four replicas in groups of two, which add two replicas first and two groups second.
    void groupsOfReplicasHaveTheirOwnBits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const bool tied : {false, true}) {
            const auto planOf = [&](const char *family, int zero, model::RunMode mode) {
                auto experiment = tinyExperiment(family, VocabularyMethod::Vocab2, 2, 2);
                experiment.model.tied = tied;
                experiment.training.steps = 3;
                experiment.training.mode = mode;
                experiment.training.optimizer.clip = 0.5;
                experiment.parallel.shardReplicas = zero > 0 ? 2 : 0;
                return replicated(std::move(experiment), 4, zero);
            };
            const Trained whole = train(planOf("1f1b", 1, model::RunMode::VirtualClock), "whole");
            for (const auto &[family, zero, mode] : {std::tuple("1f1b", 2, model::RunMode::Live),
                                                     {"1f1b", 3, model::RunMode::Live},
                                                     {"gpipe", 3, model::RunMode::VirtualClock}}) {
                const Trained other = train(planOf(family, zero, mode), "other");
                QCOMPARE(other.losses, whole.losses);
                QVERIFY(other.gradients == whole.gradients);
                QVERIFY(other.final == whole.final);
            }
            const Trained ungrouped = train(planOf("1f1b", 0, model::RunMode::VirtualClock), "ungrouped");
            for (std::size_t step = 0; step < whole.losses.size(); ++step)
                QVERIFY(std::abs(ungrouped.losses[step] - whole.losses[step]) < 2e-6 * whole.losses[step]);
            test::verifyPlan(planOf("zb-h1", 3, model::RunMode::VirtualClock));
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// The same sequences as one replica with more microbatches: equal but for the order of sums.
    void replicasShareTheSequencesOfAStep()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto one = tinyExperiment("1f1b", VocabularyMethod::Vocab1, 2, 6);
        one.training.steps = 5;
        auto three = tinyExperiment("1f1b", VocabularyMethod::Vocab1, 2, 2);
        three.training.steps = 5;
        const Trained alone = train(one, "one");
        const Trained together = train(replicated(three, 3, 1), "three");
        QCOMPARE(together.losses.size(), alone.losses.size());
        for (std::size_t step = 0; step < alone.losses.size(); ++step)
            QVERIFY2(std::abs(together.losses[step] - alone.losses[step]) < 2e-6 * alone.losses[step],
                     qPrintable(QString("step %1").arg(step)));
    }

    /// The live bytes of each category equal the plan after every pass (DeviceMemory checks it), and so do the peaks.
    void memoryIsPlanned_data()
    {
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("group");
        QTest::newRow("replicated") << 0 << 3;
        QTest::newRow("ZeRO-1") << 1 << 3;
        QTest::newRow("ZeRO-2") << 2 << 3;
        QTest::newRow("ZeRO-3") << 3 << 3;
        QTest::newRow("ZeRO-3 in groups") << 3 << 2;
    }
    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(int, zero);
        QFETCH(int, group);
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1}) {
            auto experiment = replicated(tinyExperiment("1f1b", method, 2, 4), group == 3 ? 3 : 2 * group, zero);
            experiment.parallel.shardReplicas = zero > 0 ? group : 0;
            experiment.training.steps = 2;
            const auto schedule = scheduleOf(experiment);
            const auto onStep = [&](const runtime::StepReport &report) {
                for (int device = 0; device < 2; ++device) {
                    QVERIFY(test::peaksArePredicted(experiment, schedule, report, device));
                    const auto &measured = report.peakMemory[static_cast<std::size_t>(device)];
                    const auto state = static_cast<std::size_t>(simulate::MemoryCategory::Optimizer);
                    const auto gradients = static_cast<std::size_t>(simulate::MemoryCategory::Gradients);
                    if (zero == 0)
                        QCOMPARE(measured[state], 2 * measured[gradients]);
                    else // shares are whole blocks
                        QVERIFY(measured[state] < 2 * measured[gradients] / group + 2 * 4096 * 4);
                    // Beside the peak: gradients from their reduction on, parameters before they are gathered.
                    const auto shared = [&](const simulate::MemoryStep &step, std::size_t category) {
                        return step.bytes[category] < measured[category] && 2 * step.bytes[category] == measured[state];
                    };
                    const auto parameters = static_cast<std::size_t>(simulate::MemoryCategory::Parameters);
                    const auto profile = simulate::memoryProfile(experiment, schedule, *report.timeline, device);
                    QCOMPARE(shared(profile.steps.back(), gradients), zero >= 2);
                    QCOMPARE(shared(profile.steps.back(), parameters), zero == 3);
                    QCOMPARE(shared(profile.steps.front(), parameters), zero == 3);
                    QVERIFY(!shared(profile.steps.front(), gradients));
                }
            };
            const auto trained = runtime::train(experiment, schedule, {}, {onStep, {}}, {});
            QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        }
    }

    void resumedRunsHaveTheSameBits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = replicated(tinyExperiment("1f1b", VocabularyMethod::Vocab1, 2, 2), 2, 1);
        experiment.training.steps = 6;
        const Trained whole = train(experiment, "uncut");
        experiment.training.steps = 3;
        (void)train(experiment, "cut", {{}, {}, place("checkpoint"), 3, {}});
        experiment.training.steps = 6;
        experiment.parallel.zero = 3;
        experiment.training.steps = 4;
        (void)train(experiment, "cut again", {{}, {}, place("checkpoint of 3"), 4, {}});
        experiment.training.steps = 6;
        for (const int zero : {3, 2, 1, 0}) {
            experiment.parallel.zero = zero;
            const Trained late = train(experiment, "late", {{}, {}, {}, 0, place("checkpoint of 3")});
            QCOMPARE(late.losses, std::vector<double>(whole.losses.begin() + 4, whole.losses.end()));
            QVERIFY(late.final == whole.final);
            const Trained rest = train(experiment, "rest", {{}, {}, {}, 0, place("checkpoint")});
            QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 3, whole.losses.end()));
            QVERIFY(rest.final == whole.final);
        }
        // Other meshes continue within the tolerance of another order of sums.
        auto other = tinyExperiment("1f1b", VocabularyMethod::None, 4, 4);
        other.training.steps = 6;
        const Trained alone = train(other, "alone", {{}, {}, {}, 0, place("checkpoint")});
        for (std::size_t step = 0; step < 3; ++step)
            QVERIFY(std::abs(alone.losses[step] - whole.losses[step + 3]) < 2e-5);
    }

    /// Parameters that ZeRO-3 holds in shares are whole for the evaluation.
    void heldBackTokensAreEvaluatedAlike()
    {
        STAGELENS_NOT_UNDER_TSAN();
        std::vector<std::vector<double>> losses;
        for (const int zero : {0, 3}) {
            auto experiment = replicated(tinyExperiment("1f1b", VocabularyMethod::Vocab2, 2, 2), 2, zero);
            experiment.training.steps = 2;
            experiment.training.data = (qgetenv("STAGELENS_RESOURCES") + "/docs/glossary.md").toStdString();
            experiment.model.vocabularySize = 300;
            std::vector<double> &of = losses.emplace_back();
            runtime::TrainingObserver observer;
            observer.onEvaluation = [&of](const runtime::Evaluation &each) { of.push_back(each.loss); };
            const auto trained = runtime::train(experiment, scheduleOf(experiment), {}, observer, {});
            QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        }
        QCOMPARE(losses[0].size(), std::size_t{2});
        QCOMPARE(losses[1], losses[0]);
    }

    void sharingNeedsReplicas()
    {
        for (const int zero : {2, 3}) {
            const base::Problems problems =
                model::validate(replicated(tinyExperiment("1f1b", VocabularyMethod::None, 2, 4), 1, zero));
            QCOMPARE(problems.size(), std::size_t{1});
            QCOMPARE(problems.front().field, std::string("parallel.zero"));
            QVERIFY(problems.front().message.find("choose 0, or at least 2 replicas") != std::string::npos);
        }
    }

    void groupsDivideTheReplicas()
    {
        for (const auto &[replicas, zero, group, remedy] : {std::tuple(4, 1, 3, "choose 2"),
                                                            {4, 1, 1, "choose 4"},
                                                            {4, 1, 8, "choose 4"},
                                                            {1, 1, 2, "choose 0"},
                                                            {4, 0, 2, "choose 0, or ZeRO 1 to 3"}}) {
            auto experiment = replicated(tinyExperiment("1f1b", VocabularyMethod::None, 2, 4), replicas, zero);
            experiment.parallel.shardReplicas = group;
            const base::Problems problems = model::validate(experiment);
            QCOMPARE(problems.size(), std::size_t{1});
            QCOMPARE(problems.front().field, std::string("parallel.shard_replicas"));
            QVERIFY2(problems.front().message.ends_with(remedy), problems.front().message.c_str());
        }
    }

    void asynchronousSchedulesAreRefused()
    {
        for (const char *family : {"pipedream", "pipedream-2bw"}) {
            const auto experiment = replicated(tinyExperiment(family, VocabularyMethod::None, 2, 4), 2, 0);
            const auto refused = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY(!refused.ok());
            QCOMPARE(refused.error().problems.front().field, std::string("parallel.replicas"));
            QVERIFY(refused.error().text().find("choose 1, or a synchronous schedule") != std::string::npos);
        }
    }
};

STAGELENS_TEST(Replicas)

} // namespace integration_replicas

#include "replicas.moc"
