// Experts divided over ranks whose replicas shard in groups (HSDP): gradients against the unpartitioned reference, the bits
// that do not depend on schedule, mode and ZeRO, memory, evaluations, and resumed runs.
#include "engine/runtime/training/training_run.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>
#include <cmath>

namespace integration_ranks_expert_groups {

using namespace stagelens;
using model::VocabularyMethod;
using test::Trained;

namespace {

struct Degrees {
    int tensor = 1;
    int replicas = 1;
    int expert = 1;
    int group = 1; ///< replicas that shard among themselves
};

/// Eight experts of a layer, of which two compute a token.
model::Experiment groupedPlan(const char *family, VocabularyMethod method, int devices, const Degrees &degrees, int zero)
{
    auto experiment = test::tinyExperts(family, method, devices);
    experiment.model.expertFfn = 128; // so that an expert has several blocks, which replicas divide
    experiment.parallel.tensor = degrees.tensor;
    experiment.parallel.replicas = degrees.replicas;
    experiment.parallel.expert = degrees.expert;
    experiment.parallel.expertHeadroom = 4;
    experiment.parallel.zero = zero;
    experiment.parallel.shardReplicas = zero > 0 ? degrees.group : 0;
    return operators::resolved(experiment, 2);
}

void addDegrees()
{
    QTest::addColumn<Degrees>("degrees");
    QTest::newRow("d 4, e 2, groups of 2") << Degrees{1, 4, 2, 2}; // each group has every expert once
    if (test::kIsThreadSanitized)
        return;
    QTest::newRow("t 2, d 4, e 4, groups of 2") << Degrees{2, 4, 4, 2};
    if (test::kIsSanitized)
        return;
    QTest::newRow("d 8, e 2, groups of 4") << Degrees{1, 8, 2, 4}; // and twice
    QTest::newRow("t 2, d 4, e 2, groups of 2") << Degrees{2, 4, 2, 2};
}

} // namespace

class ExpertGroups : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    void gradientsMatchTheReference_data() { addDegrees(); }
    /// The turn chooses family, ZeRO, router, recomputation, tied weights and the mode.
    void gradientsMatchTheReference()
    {
        QFETCH(Degrees, degrees);
        int turn = degrees.tensor + degrees.replicas + degrees.expert;
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2})
            for (const int devices : {1, 2}) {
                if (devices == 1 && method != VocabularyMethod::None)
                    continue;
                const char *const family = turn % 2 ? "1f1b" : "zb-h1";
                auto experiment = groupedPlan(family, method, devices, degrees, 1 + turn % 3);
                if (turn % 3 == 0)
                    test::useSigmoids(experiment);
                experiment.model.tied = turn % 4 == 0;
                experiment.schedule.recompute = turn % 3 == 1 ? model::Recompute::Full : model::Recompute::None;
                experiment.training.mode = turn / 2 % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                test::verifyPlan(experiment);
                if (QTest::currentTestFailed())
                    return;
                ++turn;
            }
    }

    void bitsDependOnNeitherModeNorScheduleNorZero_data() { addDegrees(); }
    /// They differ in the last bits from those of one group, which adds in another order. The clipped norm counts each expert
    /// once.
    void bitsDependOnNeitherModeNorScheduleNorZero()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(Degrees, degrees);
        const auto trained = [&](const char *family, int zero, model::RunMode mode, const char *name) {
            auto experiment = groupedPlan(family, VocabularyMethod::None, 2, degrees, zero);
            experiment.training.steps = 3;
            experiment.training.mode = mode;
            experiment.training.optimizer.clip = 0.5;
            experiment.training.optimizer.weightDecay = 0.1;
            return train(experiment, name);
        };
        const Trained whole = trained("1f1b", 1, model::RunMode::VirtualClock, "whole");
        for (const auto &[family, zero, mode] : {std::tuple("1f1b", 1, model::RunMode::Live),
                                                 {"zb-h1", 2, model::RunMode::Live},
                                                 {"gpipe", 3, model::RunMode::VirtualClock}}) {
            const Trained other = trained(family, zero, mode, "other");
            QCOMPARE(other.losses, whole.losses);
            QVERIFY(other.gradients == whole.gradients);
            QVERIFY(other.final == whole.final);
        }
        const Trained ungrouped = trained("1f1b", 0, model::RunMode::VirtualClock, "ungrouped");
        for (std::size_t step = 0; step < whole.losses.size(); ++step)
            QVERIFY(std::abs(ungrouped.losses[step] - whole.losses[step]) < 2e-6 * whole.losses[step]);
    }

    void memoryIsPlanned_data() { addDegrees(); }
    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(Degrees, degrees);
        for (const int zero : {1, 3}) {
            auto experiment = groupedPlan("zb-h1", VocabularyMethod::None, 2, degrees, zero);
            experiment.model.dtype = zero == 1 ? model::DataType::Bf16 : model::DataType::Fp32;
            experiment.training.steps = 2;
            test::checkBothPeaks(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// Checkpoints have whole tensors, so that other groups and other ranks continue.
    void resumedRunsHaveTheSameBits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = groupedPlan("1f1b", VocabularyMethod::Vocab1, 2, {1, 4, 2, 2}, 3);
        experiment.training.steps = 4;
        const Trained whole = train(experiment, "uncut");
        experiment.training.steps = 2;
        (void)train(experiment, "cut", {{}, {}, place("checkpoint"), 2, {}});
        experiment.training.steps = 4;
        for (const int zero : {3, 1}) {
            experiment.parallel.zero = zero;
            const Trained rest = train(experiment, "rest", {{}, {}, {}, 0, place("checkpoint")});
            QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 2, whole.losses.end()));
            QVERIFY(rest.final == whole.final);
        }
        for (const auto &[group, expert] : {std::pair(0, 2), {0, 1}, {2, 1}, {4, 4}}) {
            auto other = experiment;
            other.parallel.shardReplicas = group;
            other.parallel.expert = expert;
            const Trained continued = train(other, "continued", {{}, {}, {}, 0, place("checkpoint")});
            for (std::size_t step = 0; step < 2; ++step)
                QVERIFY(std::abs(continued.losses[step] - whole.losses[step + 2]) < 2e-5);
        }
    }

    /// Parameters that ZeRO-3 holds in shares are whole for the evaluation, and each held-back token counts once.
    void heldBackTokensAreCountedOnce()
    {
        STAGELENS_NOT_UNDER_TSAN();
        std::vector<double> losses;
        for (const Degrees &degrees : {Degrees{1, 4, 1, 2}, {1, 4, 2, 2}, {1, 4, 2, 4}}) {
            losses.push_back(heldBackLoss(groupedPlan("1f1b", VocabularyMethod::Vocab1, 2, degrees, 3)));
            QVERIFY2(std::abs(losses.back() - losses.front()) < 1e-6, qPrintable(QString::number(losses.back(), 'g', 9)));
        }
    }

    /// Shares of whole matrices, and of whole rows.
    void optimizersOfWholeMatricesMatchTheReference()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const char *optimizer : {"muon", "adafactor"}) {
            auto experiment = groupedPlan("1f1b", VocabularyMethod::None, 2, {1, 4, 2, 2}, 2);
            experiment.training.optimizer.name = optimizer;
            test::verifyPlan(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }
};

STAGELENS_TEST(ExpertGroups)

} // namespace integration_ranks_expert_groups

#include "ranks/expert_groups.moc"
