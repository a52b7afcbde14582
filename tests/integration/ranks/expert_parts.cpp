// Experts on tensor and context ranks: gradients against the unpartitioned reference, the bits that do not depend on schedule,
// mode, ZeRO, recomputation and sequence parallelism, memory, recorded choices, and resumed runs.
#include "engine/model/capabilities.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>
#include <cmath>
#include <filesystem>
#include <numeric>

namespace integration_ranks_expert_parts {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
using test::Trained;
namespace fs = std::filesystem;

namespace {

/// Eight experts of a layer, of which two compute a token, on tensor and context ranks.
model::Experiment partsPlan(const char *family, VocabularyMethod method, int tensor, int context)
{
    auto experiment = test::tinyExperts(family, method, 2);
    experiment.parallel.tensor = tensor;
    experiment.parallel.context = context;
    return operators::resolved(experiment, 2);
}

} // namespace

class ExpertParts : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    void gradientsMatchTheReference_data() { test::addSynchronousFamilies({"1f1b", "zb-h1"}); }
    /// Every synchronous family, on tensor ranks, context ranks and both. The turn chooses vocabulary method, router, experts
    /// of a token, dense layers, capacity, replicas, ZeRO, recomputation, sequence parallelism and the mode.
    void gradientsMatchTheReference()
    {
        QFETCH(QString, family);
        const std::string name = family.toStdString();
        int turn = static_cast<int>(schedule::findFamily(name) - schedule::families().data());
        for (const auto &[tensor, context] : {std::pair(2, 1), {1, 2}, {2, 2}, {4, 1}}) {
            VocabularyMethod method = turn % 2 ? VocabularyMethod::Vocab2 : VocabularyMethod::None;
            if (!test::refusedField(name, method, 2).empty())
                method = VocabularyMethod::None;
            auto experiment = partsPlan(name.c_str(), method, tensor, context);
            experiment.model.topK = 1 + turn % 3;
            if (turn % 4 < 2)
                test::useSigmoids(experiment);
            experiment.model.denseLayers = turn % 5 == 0 ? 1 : 0;
            if (turn % 3 == 2)
                experiment.model.capacityFactor = turn % 2 ? 0.75 : 1;
            experiment.model.dropRule = turn % 4 < 2 ? model::DropRule::Position : model::DropRule::Gate;
            if (context > 1)
                experiment.parallel.contextMethod = static_cast<model::ContextMethod>(tensor == 1 ? turn % 3 : turn % 2);
            experiment.parallel.sequenceParallel = turn % 3 != 1;
            experiment.parallel.replicas = turn % 4 == 3 ? 2 : 1;
            experiment.parallel.zero = turn % 4 == 3 ? turn / 4 % 4 : 0;
            experiment.schedule.recompute = turn % 3 == 1 ? model::Recompute::Full : model::Recompute::None;
            experiment.training.mode = turn / 2 % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            test::verifyPlan(experiment);
            if (QTest::currentTestFailed())
                return;
            ++turn;
        }
    }

    void bitsDependOnNeitherModeNorScheduleNorZero_data()
    {
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("context");
        QTest::newRow("t 2") << 2 << 1;
        QTest::newRow("c 2") << 1 << 2;
    }
    void bitsDependOnNeitherModeNorScheduleNorZero()
    {
        QFETCH(int, tensor);
        QFETCH(int, context);
        const auto planOf = [&](const char *family) {
            auto experiment = partsPlan(family, VocabularyMethod::None, tensor, context);
            test::useSigmoids(experiment);
            experiment.parallel.replicas = 2;
            experiment.model.capacityFactor = 1;
            return experiment;
        };
        haveTheSameBits(planOf, 4);
    }

    /// Losses of all steps, and what is left at the end, differ from those of one rank by the order of sums only.
    void ranksTrainAsOne()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto one = partsPlan("1f1b", VocabularyMethod::Vocab1, 1, 1);
        test::useSigmoids(one);
        one.training.steps = 5;
        const std::vector<double> alone = test::lossesOf(one);
        for (const auto &[tensor, context, isSequenceParallel] :
             {std::tuple(2, 1, true), {2, 1, false}, {1, 2, true}, {2, 2, true}}) {
            auto several = one;
            several.parallel.tensor = tensor;
            several.parallel.context = context;
            several.parallel.sequenceParallel = isSequenceParallel;
            const std::vector<double> together = test::lossesOf(several);
            for (std::size_t step = 0; step < alone.size(); ++step)
                QVERIFY2(std::abs(together[step] - alone[step]) < 2e-6 * alone[step], qPrintable(QString("step %1").arg(step)));
        }
    }

    /// In 16 bits the sums of choices are in float, and partial sums are rounded.
    void ranksTrainAsOneIn16Bits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const model::DataType dtype : {model::DataType::Bf16, model::DataType::Fp16}) {
            auto one = partsPlan("1f1b", VocabularyMethod::None, 1, 1);
            one.model.dtype = dtype;
            one.training.steps = 3;
            const std::vector<double> alone = test::lossesOf(one);
            for (const auto &[tensor, context] : {std::pair(2, 1), {1, 2}, {2, 2}}) {
                auto several = one;
                several.parallel.tensor = tensor;
                several.parallel.context = context;
                const std::vector<double> together = test::lossesOf(several);
                for (std::size_t step = 0; step < alone.size(); ++step)
                    QVERIFY2(std::abs(together[step] - alone[step]) < 2e-3 * alone[step],
                             qPrintable(QString("step %1: %2 and %3").arg(step).arg(together[step]).arg(alone[step])));
            }
        }
    }

    /// Forwards have the same bits with and without sequence parallelism.
    void sequenceParallelismKeepsTheBitsOfTheForward()
    {
        std::vector<double> first;
        for (const bool isSequenceParallel : {false, true}) {
            auto experiment = partsPlan("1f1b", VocabularyMethod::None, 2, 1);
            experiment.parallel.sequenceParallel = isSequenceParallel;
            experiment.training.steps = 1;
            first.push_back(test::lossesOf(experiment).front());
        }
        QCOMPARE(first[1], first[0]);
    }

    /// Tensor ranks route the same tokens, and context ranks different ones.
    void choicesAreRecordedOnce()
    {
        for (const auto &[tensor, context] : {std::pair(1, 1), {2, 1}, {1, 2}, {2, 2}}) {
            auto experiment = partsPlan("zb-h1", VocabularyMethod::None, tensor, context);
            experiment.training.steps = 1;
            timeline::RouterStepPtr routers;
            const auto onStep = [&](const runtime::StepReport &report) { routers = report.routers; };
            QVERIFY(runtime::train(experiment, scheduleOf(experiment), {}, {onStep, {}}, {}).ok());
            QVERIFY(routers != nullptr && routers->layers.size() == 4);
            const std::int64_t tokens = 2 * std::int64_t{experiment.parallel.microbatchSize} * experiment.model.sequence;
            for (const timeline::RouterCounts &counts : routers->layers) {
                QCOMPARE(counts.tokens, tokens);
                QCOMPARE(std::accumulate(counts.rows.begin(), counts.rows.end(), std::int64_t{0}), 2 * tokens);
            }
        }
    }

    /// What experts drop of the tokens of all context ranks are the rows that they drop on one rank, in every layer.
    void contextRanksDropTheRowsOfOneRank()
    {
        for (const model::DropRule rule : {model::DropRule::Gate, model::DropRule::Position}) {
            std::vector<timeline::RouterCounts> alone;
            std::vector<double> losses;
            for (const auto &[tensor, context] : {std::pair(1, 1), {1, 2}, {1, 4}, {2, 2}}) {
                auto experiment = partsPlan("zb-h1", VocabularyMethod::None, tensor, context);
                experiment.model.capacityFactor = 0.8;
                experiment.model.dropRule = rule;
                experiment.parallel.microbatchSize = 2;
                experiment.training.steps = 1;
                timeline::RouterStepPtr routers;
                double loss = 0;
                const auto onStep = [&](const runtime::StepReport &report) {
                    routers = report.routers;
                    loss = report.loss;
                };
                QVERIFY(runtime::train(experiment, scheduleOf(experiment), {}, {onStep, {}}, {}).ok());
                QVERIFY(routers != nullptr && routers->layers.size() == 4);
                if (alone.empty()) {
                    alone = routers->layers;
                    losses.push_back(loss);
                }
                for (std::size_t layer = 0; layer < alone.size(); ++layer) {
                    QVERIFY(routers->layers[layer].dropped > 0);
                    QCOMPARE(routers->layers[layer].dropped, alone[layer].dropped);
                    QCOMPARE(routers->layers[layer].rows, alone[layer].rows);
                }
                QVERIFY2(std::abs(loss - losses.front()) < 1e-6 * losses.front(), qPrintable(QString::number(loss, 'g', 9)));
            }
        }
    }

    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const auto &[tensor, context, isSequenceParallel] :
             {std::tuple(2, 1, true), {4, 1, false}, {1, 2, true}, {2, 2, true}}) {
            auto experiment = partsPlan("zb-h1", VocabularyMethod::None, tensor, context);
            test::useSigmoids(experiment);
            experiment.parallel.sequenceParallel = isSequenceParallel;
            if (context > 1)
                experiment.model.capacityFactor = 1;
            experiment.training.steps = 2;
            test::checkMemory(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// Checkpoints have whole matrices, so that other ranks continue.
    void resumedRunsHaveTheSameBits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = partsPlan("1f1b", VocabularyMethod::None, 2, 1);
        test::useSigmoids(experiment);
        experiment.training.steps = 4;
        const Trained whole = train(experiment, "uncut");
        experiment.training.steps = 2;
        (void)train(experiment, "cut", {{}, {}, place("checkpoint"), 2, {}});
        experiment.training.steps = 4;
        const Trained rest = train(experiment, "rest", {{}, {}, {}, 0, place("checkpoint")});
        QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 2, whole.losses.end()));
        QVERIFY(rest.final == whole.final);
        for (const auto &[tensor, context] : {std::pair(1, 1), {4, 1}, {1, 2}}) {
            auto other = experiment;
            other.parallel.tensor = tensor;
            other.parallel.context = context;
            const Trained continued = train(other, "continued", {{}, {}, {}, 0, place("checkpoint")});
            for (std::size_t step = 0; step < 2; ++step)
                QVERIFY(std::abs(continued.losses[step] - whole.losses[step + 2]) < 2e-5);
        }
    }

    void refusedPlans()
    {
        const auto fieldOf = [](const model::Experiment &experiment) {
            const auto problems = model::validate(experiment);
            return problems.empty() ? std::string() : problems.front().field + ": " + problems.front().message;
        };
        auto experiment = partsPlan("1f1b", VocabularyMethod::None, 2, 1);
        QCOMPARE(fieldOf(experiment), std::string());
        experiment.model.ffn = 7; // no layer uses it
        QCOMPARE(fieldOf(experiment), std::string());
        experiment.model.expertFfn = 25;
        QCOMPARE(fieldOf(experiment),
                 std::string("parallel.tensor: is 2, which does not divide model.expert_ffn (25); choose 1"));
        experiment = partsPlan("1f1b", VocabularyMethod::None, 1, 2);
        experiment.model.capacityFactor = 1;
        QCOMPARE(fieldOf(experiment), std::string());
        QVERIFY(model::unsupported(experiment, model::Use::Run).empty());
        experiment.training.backend = "cuda";
        QVERIFY(model::unsupported(experiment, model::Use::Run).empty());
    }
};

STAGELENS_TEST(ExpertParts)

} // namespace integration_ranks_expert_parts

#include "ranks/expert_parts.moc"
