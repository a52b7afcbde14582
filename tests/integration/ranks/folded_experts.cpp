// Experts divided over tensor ranks and replicas, and over replicas with context ranks: gradients against the unpartitioned
// reference, the bits that do not depend on expert ranks, schedule, mode, ZeRO and recomputation, memory, recorded choices,
// and resumed runs.
#include "engine/model/capabilities.h"
#include "engine/model/family_shape.h"
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

namespace integration_ranks_folded_experts {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
using test::Trained;
namespace fs = std::filesystem;

namespace {

struct Degrees {
    int tensor = 1;
    int context = 1;
    int replicas = 1;
    int expert = 1;
};

/// Eight experts of a layer, of which two compute a token.
model::Experiment foldedPlan(const char *family, VocabularyMethod method, int devices, const Degrees &degrees)
{
    auto experiment = test::tinyExperts(family, method, devices);
    experiment.parallel.tensor = degrees.tensor;
    experiment.parallel.context = degrees.context;
    experiment.parallel.replicas = degrees.replicas;
    experiment.parallel.expert = degrees.expert;
    experiment.parallel.expertHeadroom = 4;
    return operators::resolved(experiment, 2);
}

void addDegrees()
{
    QTest::addColumn<Degrees>("degrees");
    QTest::newRow("t 2, e 2") << Degrees{2, 1, 1, 2};
    QTest::newRow("t 2, d 2, e 4") << Degrees{2, 1, 2, 4};
    QTest::newRow("t 2, d 2, e 2") << Degrees{2, 1, 2, 2};
    QTest::newRow("c 2, d 2, e 2") << Degrees{1, 2, 2, 2};
    QTest::newRow("t 2, c 2, d 2, e 4") << Degrees{2, 2, 2, 4};
    QTest::newRow("t 2, c 2, d 2, e 2") << Degrees{2, 2, 2, 2};
}

} // namespace

class FoldedExperts : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    void gradientsMatchTheReference_data() { addDegrees(); }
    /// The turn chooses family, router, shared experts, experts of a token, dense layers, capacity, ZeRO, recomputation, the
    /// way of context parallelism and the mode.
    void gradientsMatchTheReference()
    {
        QFETCH(Degrees, degrees);
        constexpr std::array kFamilies{"1f1b", "zb-h1", "dualpipe", "zb-v"};
        int turn = degrees.tensor + degrees.context + degrees.replicas + degrees.expert;
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2})
            for (const int devices : {1, 2}) {
                const char *const family =
                    method == VocabularyMethod::None && devices == 2 ? kFamilies[turn % 4] : kFamilies[turn % 2];
                if (devices == 1 && method != VocabularyMethod::None)
                    continue;
                auto experiment = foldedPlan(family, method, devices, degrees);
                experiment.model.topK = 1 + turn % 3;
                if (turn % 2 == 0)
                    test::useSigmoids(experiment);
                experiment.model.denseLayers = turn % 5 == 0 ? 1 : 0;
                if (turn % 3 > 0)
                    experiment.model.capacityFactor = turn % 3 == 1 ? 0.75 : 1;
                experiment.model.dropRule = turn % 4 < 2 ? model::DropRule::Position : model::DropRule::Gate;
                experiment.parallel.zero = degrees.replicas > 1 ? turn % 4 : 0;
                if (degrees.context > 1)
                    experiment.parallel.contextMethod = static_cast<model::ContextMethod>(turn % 3);
                if (experiment.parallel.contextMethod == model::ContextMethod::Ulysses) // divides the heads of a tensor rank
                    experiment.model.kvHeads = experiment.model.heads;
                experiment.schedule.recompute = turn % 3 == 1 ? model::Recompute::Full : model::Recompute::None;
                experiment.training.mode = turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                test::verifyPlan(experiment);
                if (QTest::currentTestFailed())
                    return;
                ++turn;
            }
    }

    /// As many expert ranks as tensor ranks: no replica needs another one's experts.
    void replicasAreAveraged()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = foldedPlan("1f1b", VocabularyMethod::Vocab2, 2, {2, 1, 2, 2});
        experiment.parallel.syncEvery = 2;
        test::verifyPlan(experiment);
    }

    /// The rows of an expert are computed alike wherever they are, so that only sums over them differ.
    void bitsDoNotDependOnExpertRanks()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto one = foldedPlan("zb-h1", VocabularyMethod::Vocab1, 2, {2, 1, 4, 2});
        test::useSigmoids(one);
        one.model.capacityFactor = 1;
        one.training.steps = 1;
        const std::vector<float> first = test::gradientsOf(one);
        const std::vector<double> losses = test::lossesOf(one);
        for (const int expert : {4, 8}) {
            auto several = one;
            several.parallel.expert = expert;
            const std::vector<float> other = test::gradientsOf(several);
            QCOMPARE(other.size(), first.size());
            std::size_t at = 0;
            for (const runtime::ParameterInfo &info : runtime::parameterList(one.model)) {
                const bool isOfExperts = info.name.find(".experts.") != std::string::npos;
                double difference = 0;
                double norm = 0;
                for (const std::size_t end = at + static_cast<std::size_t>(info.count()); at < end; ++at) {
                    difference += std::pow(static_cast<double>(first[at]) - static_cast<double>(other[at]), 2);
                    norm += std::pow(static_cast<double>(first[at]), 2);
                }
                QVERIFY2(difference <= (isOfExperts ? 1e-12 : 0) * norm, info.name.c_str());
            }
            QCOMPARE(test::lossesOf(several), losses);
        }
    }

    void bitsDependOnNeitherModeNorScheduleNorZero_data()
    {
        QTest::addColumn<Degrees>("degrees");
        QTest::newRow("t 2, d 2, e 2") << Degrees{2, 1, 2, 2};
        QTest::newRow("c 2, d 4, e 2") << Degrees{1, 2, 4, 2};
    }
    void bitsDependOnNeitherModeNorScheduleNorZero()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(Degrees, degrees);
        const auto planOf = [&](const char *family) {
            auto experiment = foldedPlan(family, VocabularyMethod::None, 2, degrees);
            test::useSigmoids(experiment);
            return experiment;
        };
        haveTheSameBits(planOf, 3);
    }

    /// Losses of all steps differ from those of one rank of each replica by the order of sums only: the clipped norm counts
    /// each expert once, and the bias of the routers follows the choices of all tokens.
    void ranksTrainAsOne()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto one = foldedPlan("1f1b", VocabularyMethod::Vocab1, 1, {1, 1, 2, 1});
        test::useSigmoids(one);
        one.training.steps = 5;
        one.training.optimizer.clip = 0.5;
        const std::vector<double> alone = test::lossesOf(one);
        for (const Degrees &degrees : {Degrees{2, 1, 2, 2}, {2, 1, 2, 4}, {1, 2, 2, 2}, {4, 1, 2, 8}}) {
            auto several = one;
            several.parallel.tensor = degrees.tensor;
            several.parallel.context = degrees.context;
            several.parallel.expert = degrees.expert;
            const std::vector<double> together = test::lossesOf(several);
            for (std::size_t step = 0; step < alone.size(); ++step)
                QVERIFY2(std::abs(together[step] - alone[step]) < 2e-6 * alone[step], qPrintable(QString("step %1").arg(step)));
        }
    }

    void ranksTrainAsOneIn16Bits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto one = foldedPlan("1f1b", VocabularyMethod::None, 2, {1, 1, 2, 1});
        one.model.dtype = model::DataType::Bf16;
        one.training.steps = 3;
        const std::vector<double> alone = test::lossesOf(one);
        auto several = one;
        several.parallel.tensor = 2;
        several.parallel.expert = 4;
        const std::vector<double> together = test::lossesOf(several);
        for (std::size_t step = 0; step < alone.size(); ++step)
            QVERIFY2(std::abs(together[step] - alone[step]) < 2e-3 * alone[step], qPrintable(QString("step %1").arg(step)));
    }

    /// Every rank routes other tokens, and experts drop as many as on one rank.
    void choicesAreRecordedOnce()
    {
        STAGELENS_NOT_UNDER_TSAN();
        std::vector<std::int64_t> rows;
        std::int64_t dropped = 0;
        for (const Degrees &degrees : {Degrees{1, 1, 2, 1}, {2, 1, 2, 2}, {2, 1, 2, 4}, {2, 2, 2, 4}}) {
            auto experiment = foldedPlan("zb-h1", VocabularyMethod::None, 2, degrees);
            experiment.model.capacityFactor = 0.8;
            experiment.training.steps = 1;
            timeline::RouterStepPtr routers;
            const auto onStep = [&](const runtime::StepReport &report) { routers = report.routers; };
            QVERIFY(runtime::train(experiment, scheduleOf(experiment), {}, {onStep, {}}, {}).ok());
            QVERIFY(routers != nullptr && routers->layers.size() == 4);
            const std::int64_t tokens = 2 * 2 * std::int64_t{experiment.parallel.microbatchSize} * experiment.model.sequence;
            for (const timeline::RouterCounts &counts : routers->layers) {
                QCOMPARE(counts.tokens, tokens);
                QCOMPARE(std::accumulate(counts.rows.begin(), counts.rows.end(), std::int64_t{0}), 2 * tokens);
            }
            const timeline::RouterCounts &first = routers->layers.front();
            if (rows.empty()) {
                rows = first.rows;
                dropped = first.dropped;
            }
            QVERIFY(dropped > 0);
            QCOMPARE(first.rows, rows);
            QCOMPARE(first.dropped, dropped);
        }
    }

    void memoryIsPlanned_data() { addDegrees(); }
    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(Degrees, degrees);
        for (const bool isOfTopOne : {false, true}) {
            auto experiment = foldedPlan("zb-h1", VocabularyMethod::None, 2, degrees);
            if (isOfTopOne) {
                experiment.model.topK = 1;
                experiment.model.capacityFactor = 1;
            } else {
                test::useSigmoids(experiment);
            }
            experiment.parallel.zero = degrees.replicas > 1 ? 1 : 0;
            experiment.training.steps = 2;
            test::checkMemory(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// The replicas of a group evaluate different microbatches, and each held-back token counts once.
    void heldBackTokensAreCountedOnce()
    {
        STAGELENS_NOT_UNDER_TSAN();
        std::vector<double> losses;
        for (const Degrees &degrees : {Degrees{1, 1, 2, 1}, {2, 1, 2, 2}, {2, 1, 2, 4}, {1, 2, 2, 2}}) {
            losses.push_back(heldBackLoss(foldedPlan("1f1b", VocabularyMethod::Vocab1, 2, degrees)));
            QVERIFY2(std::abs(losses.back() - losses.front()) < 1e-6, qPrintable(QString::number(losses.back(), 'g', 9)));
        }
    }

    /// Checkpoints have whole matrices, so that other ranks continue.
    void resumedRunsHaveTheSameBits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = foldedPlan("1f1b", VocabularyMethod::None, 2, {2, 1, 2, 4});
        test::useSigmoids(experiment);
        experiment.training.steps = 4;
        const Trained whole = train(experiment, "uncut");
        experiment.training.steps = 2;
        (void)train(experiment, "cut", {{}, {}, place("checkpoint"), 2, {}});
        experiment.training.steps = 4;
        const Trained rest = train(experiment, "rest", {{}, {}, {}, 0, place("checkpoint")});
        QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 2, whole.losses.end()));
        QVERIFY(rest.final == whole.final);
        for (const Degrees &degrees : {Degrees{1, 1, 2, 1}, {2, 1, 2, 2}, {1, 1, 2, 2}, {2, 2, 2, 2}}) {
            auto other = experiment;
            other.parallel.tensor = degrees.tensor;
            other.parallel.context = degrees.context;
            other.parallel.expert = degrees.expert;
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
        const auto of = [&](const Degrees &degrees) { return fieldOf(foldedPlan("1f1b", VocabularyMethod::None, 2, degrees)); };
        QCOMPARE(of({2, 1, 2, 4}), std::string());
        QCOMPARE(
            of({4, 1, 1, 2}),
            std::string("parallel.expert: is 2, which is no multiple of the 4 tensor ranks, which share experts; choose 4"));
        QCOMPARE(of({4, 1, 4, 3}), std::string("parallel.expert: is 3, which does not divide the 8 experts and the 16 tensor "
                                               "ranks of all replicas; choose 4"));
        QCOMPARE(of({2, 1, 2, 8}), std::string("parallel.expert: is 8, which does not divide the 4 tensor ranks of all "
                                               "replicas; choose 4"));
        QCOMPARE(of({1, 1, 4, 3}), std::string("parallel.expert: is 3, which does not divide the 8 experts and the 4 replicas; "
                                               "choose 2"));
        auto experiment = foldedPlan("1f1b", VocabularyMethod::None, 2, {2, 1, 2, 4});
        experiment.parallel.sequenceParallel = false;
        QCOMPARE(fieldOf(experiment),
                 std::string("parallel.expert: is 4, but without sequence parallelism the tensor ranks would route the same "
                             "tokens; choose 1, or --sequence-parallel"));
        experiment = foldedPlan("1f1b", VocabularyMethod::None, 2, {2, 1, 2, 4});
        experiment.model.expertFfn = 25; // tensor ranks have whole experts
        QCOMPARE(fieldOf(experiment), std::string());
        experiment.model.sharedExperts = 1;
        QCOMPARE(fieldOf(experiment), std::string("parallel.tensor: is 2, which does not divide the width of shared experts "
                                                  "(25); choose 1"));
        experiment.model.sharedExperts = 2;
        QCOMPARE(fieldOf(experiment), std::string());
        experiment.model.capacityFactor = 1;
        QCOMPARE(fieldOf(experiment), std::string());
        QVERIFY(model::unsupported(experiment, model::Use::Run).empty());
    }
};

STAGELENS_TEST(FoldedExperts)

} // namespace integration_ranks_folded_experts

#include "ranks/folded_experts.moc"
