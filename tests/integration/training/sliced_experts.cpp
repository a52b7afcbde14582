// Mixtures of experts on slices of sequences: each slice has losses of routers and a capacity of its own. Gradients against the
// reference and whole sequences, bits, what routers chose, expert ranks, and memory.
#include "engine/model/family_shape.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/held_memory.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>
#include <algorithm>
#include <numeric>

namespace integration_training_sliced_experts {

using namespace stagelens;
using model::Experiment;
using model::SliceCut;
using model::VocabularyMethod;

namespace {

constexpr const char *kFamilies[] = {"seq1f1b", "seq1f1b-zb"};

/// Eight experts of a layer, of which two compute a token; sequences of 20 tokens, of which 3 slices of either cut differ in
/// length.
Experiment sliced(const char *family, VocabularyMethod method = VocabularyMethod::None, int slices = 3)
{
    Experiment experiment = test::tinyExperts(family, method, 2, 3);
    experiment.model.sequence = 20;
    experiment.parallel.microbatchSize = 2;
    if (model::cutsSequences(family))
        experiment.schedule.sequenceSlices = slices;
    return operators::resolved(experiment, 2);
}

/// The same on `expert` ranks of 4 replicas.
Experiment onRanks(const char *family, int expert, VocabularyMethod method = VocabularyMethod::None)
{
    Experiment experiment = sliced(family, method);
    experiment.parallel.replicas = 4;
    experiment.parallel.expert = expert;
    experiment.parallel.expertHeadroom = 4;
    experiment.parallel.microbatches = 2;
    return experiment;
}

void useCapacity(Experiment &experiment, model::DropRule rule)
{
    experiment.model.capacityFactor = 0.8;
    experiment.model.dropRule = rule;
}

void useGroups(Experiment &experiment)
{
    test::useSigmoids(experiment);
    experiment.model.routerGroups = 4;
    experiment.model.routerGroupLimit = 2;
    experiment.model.denseLayers = 1;
}

/// What the routers chose in each step of a run.
std::vector<timeline::RouterStepPtr> routersOf(const Experiment &experiment)
{
    std::vector<timeline::RouterStepPtr> steps;
    const auto onStep = [&steps](const runtime::StepReport &report) { steps.push_back(report.routers); };
    if (const auto trained = runtime::train(experiment, test::scheduleOf(experiment), {}, {onStep, {}}, {}); !trained)
        qFatal("%s", trained.error().text().c_str());
    return steps;
}

std::int64_t sumOf(const std::vector<std::int64_t> &rows)
{
    return std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
}

} // namespace

class SlicedExperts : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    void gradientsAreThoseOfTheReference_data()
    {
        QTest::addColumn<QString>("family");
        for (const char *family : kFamilies)
            QTest::addRow("%s", family) << QString(family);
    }
    /// The turn chooses slices, cut, devices, mode, router, drops, layers without experts and recomputation.
    void gradientsAreThoseOfTheReference()
    {
        QFETCH(QString, family);
        int turn = family == kFamilies[0] ? 0 : 1;
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2})
            for (const int slices : {2, 3, 20}) {
                ++turn;
                if (test::kIsSanitized && turn % 3 != 0)
                    continue;
                Experiment experiment = sliced(family.toUtf8().constData(), method, slices);
                experiment.schedule.sliceCut = turn % 2 ? SliceCut::Work : SliceCut::Length;
                experiment.model.topK = 1 + turn % 3;
                experiment.training.mode = turn / 2 % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                if (turn % 3 == 1)
                    useGroups(experiment);
                if (turn % 4 > 1)
                    useCapacity(experiment, turn % 4 == 2 ? model::DropRule::Gate : model::DropRule::Position);
                experiment.schedule.recompute = turn % 5 == 0 ? model::Recompute::Full : model::Recompute::None;
                test::verifyPlan(experiment);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    /// Without a balance loss and a capacity slices train as whole sequences, up to rounding: the size losses of slices add up.
    /// With either they do not.
    void onlyBalanceAndCapacityCountSlices()
    {
        const auto differs = [](const Experiment &experiment) {
            Experiment whole = experiment;
            model::chooseFamily(whole.schedule, "1f1b");
            return test::relativeDifference(test::gradientsOf(experiment), test::gradientsOf(whole));
        };
        for (const char *family : kFamilies)
            for (const SliceCut cut : {SliceCut::Work, SliceCut::Length}) {
                Experiment experiment = sliced(family);
                experiment.schedule.sliceCut = cut;
                experiment.model.auxLoss = 0;
                experiment.model.zLoss = 0.1;
                QVERIFY2(differs(experiment) < 1e-5, family);
                useGroups(experiment);
                QVERIFY2(differs(experiment) < 1e-5, family);
                Experiment balanced = experiment;
                balanced.model.auxLoss = 0.1;
                QVERIFY2(differs(balanced) > 1e-5, family);
                useCapacity(experiment, model::DropRule::Position);
                QVERIFY2(differs(experiment) > 1e-5, family);
            }
    }

    /// Both schedules, with whole and split backwards, modes, numbers of devices and recomputation.
    void bitsDependOnTheCutsOnly()
    {
        for (const bool isGrouped : {false, true}) {
            const auto made = [isGrouped](const char *family, SliceCut cut) {
                Experiment experiment = sliced(family);
                experiment.schedule.sliceCut = cut;
                if (isGrouped)
                    useGroups(experiment);
                useCapacity(experiment, model::DropRule::Gate);
                return experiment;
            };
            const std::vector<float> expected = test::gradientsOf(made("seq1f1b", SliceCut::Work));
            QVERIFY(!test::sameBits(expected, test::gradientsOf(made("seq1f1b", SliceCut::Length))));
            for (const char *family : kFamilies) {
                Experiment experiment = made(family, SliceCut::Work);
                experiment.training.mode = model::RunMode::Live;
                QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
                for (int turn = 0; turn < 3; ++turn) {
                    test::recomputeParts(experiment, 2 * turn + 1);
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
                }
                experiment.schedule.recomputeLayers.clear();
                experiment.schedule.recomputeModules = {};
                experiment.schedule.recompute = model::Recompute::Full;
                for (const int devices : {1, 4}) {
                    experiment.parallel.devices = devices;
                    experiment.parallel.stageLayers.clear();
                    experiment = operators::resolved(experiment, 2);
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
                }
            }
        }
    }

    /// Every token counts once a step and layer, whatever the schedule and wherever the experts are, and so its k choices.
    void routersCountEachTokenOnce()
    {
        const auto expected = routersOf([] {
            Experiment experiment = onRanks("1f1b", 1);
            experiment.training.steps = 1;
            return experiment;
        }());
        constexpr std::int64_t kTokens = 2 * 4 * 2 * 20; // microbatches, replicas, sequences, tokens
        for (const char *family : kFamilies)
            for (const int expert : {1, 2, 4}) {
                Experiment experiment = onRanks(family, expert);
                experiment.training.steps = 1;
                experiment.schedule.recompute = expert == 2 ? model::Recompute::Full : model::Recompute::None;
                const auto steps = routersOf(experiment);
                QCOMPARE(steps.size(), std::size_t{1});
                QCOMPARE(steps[0]->layers.size(), std::size_t{4});
                for (std::size_t layer = 0; layer < 4; ++layer) {
                    const timeline::RouterCounts &counts = steps[0]->layers[layer];
                    QCOMPARE(counts.tokens, kTokens);
                    QCOMPARE(sumOf(counts.rows), 2 * kTokens);
                    QCOMPARE(counts.rows, expected[0]->layers[layer].rows);
                }
            }
    }

    /// ceil(C T k / E) rows of an expert in each slice, and each position of a sequence is in one.
    void slicesDropRowsOfTheirOwn()
    {
        Experiment experiment = sliced("seq1f1b", VocabularyMethod::None, 4);
        experiment.schedule.sliceCut = SliceCut::Length; // 4 slices of 5 tokens, of 2 sequences
        experiment.parallel.microbatches = 1;
        experiment.training.steps = 1;
        experiment.model.topK = 8; // all experts have all tokens
        experiment.model.capacityFactor = 0.55;
        auto steps = routersOf(experiment);
        for (const timeline::RouterCounts &counts : steps[0]->layers)
            QCOMPARE(counts.dropped, 8 * 4 * (10 - 6)); // ceil(5.5) of 10
        model::chooseFamily(experiment.schedule, "1f1b");
        steps = routersOf(experiment);
        for (const timeline::RouterCounts &counts : steps[0]->layers)
            QCOMPARE(counts.dropped, 8 * (40 - 22));
    }

    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        int turn = 0;
        for (const char *family : kFamilies)
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2})
                for (const model::Recompute recompute : {model::Recompute::None, model::Recompute::Full}) {
                    Experiment experiment = sliced(family, method);
                    experiment.schedule.sliceCut = ++turn % 2 ? SliceCut::Work : SliceCut::Length;
                    if (turn % 3 == 0)
                        useGroups(experiment);
                    experiment.schedule.recompute = recompute;
                    experiment.training.steps = 2;
                    experiment.training.mode = turn / 2 % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                    test::verifyHeldMemory(experiment);
                    test::checkMemory(experiment);
                    if (QTest::currentTestFailed())
                        return;
                }
    }

    void gradientsOfExpertRanks()
    {
        int turn = 0;
        for (const char *family : kFamilies)
            for (const int expert : {2, 4}) {
                ++turn;
                Experiment experiment = onRanks(family, expert, turn % 2 ? VocabularyMethod::Vocab1 : VocabularyMethod::None);
                experiment.schedule.sliceCut = turn % 2 ? SliceCut::Work : SliceCut::Length;
                experiment.training.mode = turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                experiment.parallel.zero = turn - 1;
                if (turn % 3 == 0)
                    useGroups(experiment);
                if (turn % 2 == 0)
                    useCapacity(experiment, model::DropRule::Gate);
                experiment.schedule.recompute = turn % 3 == 1 ? model::Recompute::Full : model::Recompute::None;
                test::verifyPlan(experiment);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    /// 20 slices of one token each, of which experts get no row, and all tokens if they have one expert.
    void emptyAndFullExperts()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const auto &[experts, topK, expert] : {std::tuple(4, 4, 4), {64, 1, 4}, {64, 1, 2}, {64, 1, 1}}) {
            Experiment experiment = onRanks("seq1f1b-zb", expert);
            experiment.schedule.sequenceSlices = 20;
            experiment.model.experts = experts;
            experiment.model.topK = topK;
            experiment.parallel.expertHeadroom = 64;
            test::verifyPlan(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// Except for sums over the rows of an expert; see ranks/experts.cpp.
    void bitsDoNotDependOnExpertRanks()
    {
        const auto planOf = [](const char *family, int expert) {
            Experiment experiment = onRanks(family, expert);
            useCapacity(experiment, model::DropRule::Position);
            experiment.training.steps = 1;
            return experiment;
        };
        const std::vector<float> alone = test::gradientsOf(planOf("seq1f1b", 1));
        const std::vector<double> losses = test::lossesOf(planOf("seq1f1b", 1));
        for (const int expert : {2, 4}) {
            const std::vector<float> several = test::gradientsOf(planOf("seq1f1b", expert));
            test::compareGradients(planOf("seq1f1b", expert), alone, several);
            if (QTest::currentTestFailed())
                return;
            for (const char *family : kFamilies)
                for (const auto dispatch : {model::ExpertDispatch::PerExpert, model::ExpertDispatch::PerNode})
                    for (const model::RunMode mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
                        Experiment same = planOf(family, expert);
                        same.parallel.expertDispatch = dispatch;
                        same.training.mode = mode;
                        QVERIFY2(test::sameBits(test::gradientsOf(same), several), family);
                        QCOMPARE(test::lossesOf(same), losses);
                    }
        }
    }

    void memoryOfExpertRanksIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const char *family : kFamilies)
            for (const int expert : {2, 4}) {
                Experiment experiment = onRanks(family, expert);
                experiment.model.dtype = expert == 2 ? model::DataType::Bf16 : model::DataType::Fp32;
                experiment.training.steps = 2;
                test::checkMemory(experiment);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    /// The plan has rows for each slice, in proportion to its tokens.
    void rowsOfASliceThatDoNotFitEndTheStep()
    {
        Experiment experiment = onRanks("seq1f1b", 4);
        experiment.parallel.expertHeadroom = 1;
        const auto found = runtime::verify(experiment, test::scheduleOf(experiment), {});
        QVERIFY(!found.ok());
        QVERIFY2(found.error().text().find("raise expert_headroom") != std::string::npos, found.error().text().c_str());
    }

    void heldBackTokensAreCountedOnce()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const double expected = heldBackLoss(onRanks("1f1b", 1, VocabularyMethod::Vocab1));
        for (const int expert : {1, 2, 4}) {
            const double loss = heldBackLoss(onRanks("seq1f1b", expert, VocabularyMethod::Vocab1));
            QVERIFY2(std::abs(loss - expected) < 1e-5, qPrintable(QString::number(loss, 'g', 9)));
        }
    }
};

STAGELENS_TEST(SlicedExperts)

} // namespace integration_training_sliced_experts

#include "training/sliced_experts.moc"
