// Context parallelism: gradients against the unpartitioned reference, the bits that do not depend on schedule, mode, ZeRO and
// recomputation, memory, and resumed runs on other meshes.
#include "engine/model/checks/checks.h"
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>
#include <algorithm>
#include <array>
#include <filesystem>

namespace integration_ranks_context {

using namespace stagelens;
using model::ContextMethod;
using model::VocabularyMethod;
using test::scheduleOf;
using test::tinyExperiment;
using test::Trained;
namespace fs = std::filesystem;

namespace {

constexpr std::array kMethods{ContextMethod::AllGather, ContextMethod::Ring, ContextMethod::Ulysses};

/// Returns whether context ranks can divide the heads of keys and values of a tensor rank, as Ulysses needs.
bool dividesHeads(const model::Experiment &experiment)
{
    return std::max(1, experiment.model.kvHeads / experiment.parallel.tensor) % experiment.parallel.context == 0;
}

model::Experiment contextPlan(const char *family, VocabularyMethod method, int context,
                              ContextMethod how = ContextMethod::AllGather)
{
    auto experiment = tinyExperiment(family, method, 2, 4);
    experiment.parallel.context = context;
    experiment.parallel.contextMethod = how;
    return experiment;
}

} // namespace

class ContextRanks : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    void gradientsMatchTheReference_data() { test::addSynchronousFamilies({"1f1b", "dualpipe-v"}); }
    /// Every synchronous family and method; the turn chooses context ranks and how they exchange, tensor ranks, replicas, ZeRO,
    /// recomputation, attention, the model family with 1, 2 or 4 heads of keys and values, tied weights, and the mode.
    void gradientsMatchTheReference()
    {
        QFETCH(QString, family);
        const std::string name = family.toStdString();
        int turn = static_cast<int>(schedule::findFamily(name) - schedule::families().data());
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            for (const int devices : {1, 2}) {
                if (!test::refusedField(name, method, devices).empty())
                    continue;
                auto experiment = tinyExperiment(name, method, devices, 2 + turn % 3);
                test::varyByTurn(experiment, turn);
                experiment.parallel.context = turn / 2 % 3 == 0 ? 4 : 2;
                experiment.parallel.tensor = turn % 4 == 3 ? 2 : 1;
                experiment.parallel.contextMethod = kMethods[static_cast<std::size_t>(turn % 3)];
                if (experiment.parallel.contextMethod == ContextMethod::Ulysses && !dividesHeads(experiment))
                    experiment.parallel.contextMethod = ContextMethod::AllGather;
                experiment.parallel.zero = turn % 5 == 4 ? 3 : turn % 3 == 1 ? 1 : 0;
                experiment.schedule.attention = turn % 6 == 2 ? model::Attention::Materialised : model::Attention::Flash;
                test::verifyPlan(experiment);
                if (QTest::currentTestFailed())
                    return;
                ++turn;
            }
        }
    }

    void gradientsMatchTheReferenceInEveryCut_data()
    {
        QTest::addColumn<ContextMethod>("how");
        QTest::addColumn<int>("kvHeads");
        QTest::addColumn<int>("context");
        QTest::addColumn<int>("tensor");
        test::Sample sample;
        for (const ContextMethod how : kMethods)
            for (const int kvHeads : {0, 1, 2, 4}) // 0: gpt
                for (const auto &[context, tensor] : {std::pair(2, 1), {4, 1}, {2, 2}}) {
                    if (sample.leavesOut())
                        continue;
                    QTest::addRow("%s, %s kv %d, c %d, t %d", model::name(how).data(), kvHeads == 0 ? "gpt" : "llama", kvHeads,
                                  context, tensor)
                        << how << kvHeads << context << tensor;
                }
    }
    void gradientsMatchTheReferenceInEveryCut()
    {
        QFETCH(ContextMethod, how);
        QFETCH(int, kvHeads);
        QFETCH(int, context);
        QFETCH(int, tensor);
        for (const char *family : {"1f1b", "zb-h1"}) {
            auto experiment = contextPlan(family, VocabularyMethod::Vocab2, context, how);
            experiment.parallel.tensor = tensor;
            experiment.parallel.sequenceParallel = kvHeads != 1;
            experiment.parallel.microbatchSize = 2;
            if (kvHeads > 0)
                experiment = test::asLlama(experiment, kvHeads);
            if (how == ContextMethod::Ulysses && !dividesHeads(experiment))
                continue; // see headsAreDivided()
            test::verifyPlan(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    void bitsDependOnNeitherModeNorScheduleNorZero_data()
    {
        QTest::addColumn<ContextMethod>("how");
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("context");
        QTest::addColumn<int>("tensor");
        test::Sample sample;
        for (const ContextMethod how : kMethods)
            for (const auto method : {VocabularyMethod::None, VocabularyMethod::Vocab2})
                for (const auto &[context, tensor] : {std::pair(4, 1), {2, 2}}) {
                    if (sample.leavesOut())
                        continue;
                    if (how != ContextMethod::AllGather && (method == VocabularyMethod::None) == (context == 4))
                        continue;
                    QTest::addRow("%s, %s, c=%d, t=%d", model::name(how).data(), model::name(method).data(), context, tensor)
                        << how << static_cast<int>(method) << context << tensor;
                }
    }
    /// Five steps of AdamW with weight decay and clipping.
    void bitsDependOnNeitherModeNorScheduleNorZero()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(ContextMethod, how);
        QFETCH(int, method);
        QFETCH(int, context);
        QFETCH(int, tensor);
        const auto planOf = [&](const char *family, int zero, model::RunMode mode, model::Recompute recompute,
                                model::RecomputeModules modules = {}) {
            auto experiment = contextPlan(family, static_cast<VocabularyMethod>(method), context, how);
            experiment.parallel.tensor = tensor;
            experiment.parallel.zero = zero;
            experiment.schedule.recompute = recompute;
            experiment.schedule.recomputeModules = modules;
            experiment.training.steps = 5;
            experiment.training.mode = mode;
            experiment.training.optimizer.clip = 0.5;
            experiment.training.optimizer.weightDecay = 0.1;
            return experiment;
        };
        using model::Recompute;
        using model::RunMode;
        const Trained whole = train(planOf("1f1b", 0, RunMode::VirtualClock, Recompute::None), "whole");
        const model::RecomputeModules none;
        const model::RecomputeModules all{.norms = true, .activation = true, .attention = true};
        for (const auto &[family, zero, mode, recompute, modules] :
             {std::tuple("1f1b", 1, RunMode::Live, Recompute::None, none),
              {"gpipe", 2, RunMode::VirtualClock, Recompute::Full, none},
              {"1f1b", 3, RunMode::VirtualClock, Recompute::None, all},
              {"zb-h1", 3, RunMode::Live, Recompute::None, none},
              {"zb-h1", 0, RunMode::Live, Recompute::None, all}}) {
            const Trained other = train(planOf(family, zero, mode, recompute, modules), "other");
            QCOMPARE(other.losses, whole.losses);
            QVERIFY(other.gradients == whole.gradients);
            QVERIFY(other.final == whole.final);
        }
    }

    /// One rank and several train alike but for the order of sums.
    void ranksTrainAsOne()
    {
        STAGELENS_NOT_UNDER_TSAN();
        test::Sample sample;
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1}) {
            auto one = contextPlan("1f1b", method, 1);
            one.training.steps = 5;
            one.training.optimizer.clip = 0.5;
            one.training.optimizer.weightDecay = 0.1;
            const Trained alone = train(one, "one");
            for (const ContextMethod how : kMethods)
                for (const int context : {2, 4}) {
                    if (sample.leavesOut())
                        continue;
                    auto several = one;
                    several.parallel.context = context;
                    several.parallel.contextMethod = how;
                    const Trained together = train(several, "several");
                    for (std::size_t step = 0; step < alone.losses.size(); ++step)
                        QVERIFY2(std::abs(together.losses[step] - alone.losses[step]) < 2e-6 * alone.losses[step],
                                 qPrintable(QString("step %1").arg(step)));
                    QVERIFY(together.gradients != alone.gradients); // another order of sums
                }
        }
    }

    void memoryIsPlanned_data()
    {
        QTest::addColumn<ContextMethod>("how");
        for (const ContextMethod how : kMethods)
            QTest::newRow(model::name(how).data()) << how;
    }
    /// The live bytes of each category equal the plan after every pass (DeviceMemory checks it), and so do the peaks.
    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(ContextMethod, how);
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2})
            for (const auto &[context, tensor] : {std::pair(4, 1), {2, 2}}) {
                auto experiment =
                    test::asLlama(contextPlan("1f1b", method, context, how), how == ContextMethod::Ulysses ? 4 : 2);
                experiment.parallel.tensor = tensor;
                experiment.model.vocabularySize = 96; // equal shards
                experiment.parallel.zero = context == 4 ? 3 : 0;
                experiment.schedule.recomputeModules.attention = context == 4;
                experiment.training.steps = 2;
                for (const model::RunMode mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
                    experiment.training.mode = mode;
                    test::checkMemory(experiment);
                    if (QTest::currentTestFailed())
                        return;
                }
            }
    }

    void resumedRunsHaveTheSameBits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = contextPlan("1f1b", VocabularyMethod::Vocab1, 2);
        experiment.parallel.zero = 1;
        experiment.training.steps = 6;
        const Trained whole = train(experiment, "uncut");
        experiment.training.steps = 3;
        (void)train(experiment, "cut", {{}, {}, place("checkpoint"), 3, {}});
        experiment.training.steps = 6;
        const Trained rest = train(experiment, "rest", {{}, {}, {}, 0, place("checkpoint")});
        QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 3, whole.losses.end()));
        QVERIFY(rest.final == whole.final);
        // Other meshes continue within the tolerance of another order of sums.
        for (const int context : {1, 4}) {
            auto other = experiment;
            other.parallel.context = context;
            const Trained continued = train(other, "continued", {{}, {}, {}, 0, place("checkpoint")});
            for (std::size_t step = 0; step < 3; ++step)
                QVERIFY(std::abs(continued.losses[step] - whole.losses[step + 3]) < 2e-5);
        }
    }

    /// The loss of held-back tokens counts each once, also where the last microbatch is not full.
    void heldBackTokensAreCountedOnce()
    {
        STAGELENS_NOT_UNDER_TSAN();
        std::vector<double> losses;
        for (const int context : {1, 2, 4}) {
            auto experiment = contextPlan("1f1b", VocabularyMethod::Vocab1, context);
            experiment.parallel.microbatchSize = 4;
            experiment.parallel.replicas = context == 2 ? 2 : 1;
            experiment.parallel.microbatches /= experiment.parallel.replicas;
            losses.push_back(heldBackLoss(experiment));
            QVERIFY2(std::abs(losses.back() - losses.front()) < 1e-5, qPrintable(QString::number(losses.back(), 'g', 9)));
        }
    }

    void headsAreDivided()
    {
        auto experiment = test::asLlama(contextPlan("1f1b", VocabularyMethod::None, 4, ContextMethod::Ulysses), 2);
        for (const auto &[tensor, nearest] : {std::pair(1, "choose 2,"), {2, "choose 1,"}}) {
            experiment.parallel.tensor = tensor;
            const base::Problems problems = model::contextProblems(experiment);
            QCOMPARE(problems.size(), std::size_t{1});
            QCOMPARE(problems.front().field, std::string("parallel.context"));
            QVERIFY2(problems.front().message.find(nearest) != std::string::npos, problems.front().message.c_str());
        }
    }

    void ringsKeepNoProbabilities()
    {
        auto experiment = contextPlan("1f1b", VocabularyMethod::None, 2, ContextMethod::Ring);
        experiment.schedule.attention = model::Attention::Materialised;
        const auto refused = runtime::verify(experiment, scheduleOf(experiment), {});
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.front().field, std::string("parallel.context_method"));
    }

    void asynchronousSchedulesAreRefused()
    {
        for (const char *family : {"pipedream", "pipedream-2bw"}) {
            const auto experiment = contextPlan(family, VocabularyMethod::None, 2);
            const auto refused = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY(!refused.ok());
            QCOMPARE(refused.error().problems.front().field, std::string("parallel.context"));
        }
    }
};

STAGELENS_TEST(ContextRanks)

} // namespace integration_ranks_context

#include "ranks/context.moc"
