// ZeRO that exchanges in every pass, with and without expert ranks: gradients against the unpartitioned reference, the bits
// that do not depend on mode, form and unsplit schedule, memory, evaluations, and resumed runs.
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>
#include <cmath>

namespace integration_ranks_zero_in_passes {

using namespace stagelens;
using model::RunMode;
using model::VocabularyMethod;
using test::Trained;

namespace {

struct Degrees {
    int tensor = 1;
    int replicas = 1;
    int expert = 1;
    int context = 1;
    int shards = 0; ///< replicas that shard together; 0: all
};

enum class Form { Eager, Reshard, Keep };

/// Eight experts of a layer, of which two compute a token.
model::Experiment planOf(const char *family, int devices, const Degrees &degrees, Form form)
{
    auto experiment = test::tinyExperts(family, VocabularyMethod::None, devices);
    experiment.model.expertFfn = 128; // so that an expert has several blocks, which replicas divide
    experiment.model.vocabularySize = 96;
    experiment.model.tied = false;
    experiment.parallel.tensor = degrees.tensor;
    experiment.parallel.replicas = degrees.replicas;
    experiment.parallel.expert = degrees.expert;
    experiment.parallel.context = degrees.context;
    experiment.parallel.shardReplicas = degrees.shards;
    experiment.parallel.expertHeadroom = 4;
    experiment.parallel.zero = form == Form::Eager ? 2 : 3;
    experiment.parallel.zero2 = model::ZeroGradients::Eager;
    experiment.parallel.zero3 = form == Form::Keep ? model::ZeroParameters::KeepUntilBackward : model::ZeroParameters::Reshard;
    experiment.cost.source = model::HardwarePreset{};
    return operators::resolved(experiment, 2);
}

/// Dense layers and sharded vocabulary layers, on two devices.
model::Experiment shardedPlan(const char *family, VocabularyMethod method, const Degrees &degrees, Form form)
{
    auto experiment = planOf(family, 2, degrees, form);
    experiment.model.experts = 0;
    experiment.schedule.vocabulary = method;
    experiment.training.mode = RunMode::VirtualClock; // the fullest rank has the greatest peak
    return experiment;
}

void addDegrees()
{
    QTest::addColumn<Degrees>("degrees");
    QTest::newRow("d 4, e 2") << Degrees{1, 4, 2};
    if (test::kIsThreadSanitized)
        return;
    QTest::newRow("t 2, d 2, e 4") << Degrees{2, 2, 4};
    if (test::kIsSanitized)
        return;
    QTest::newRow("d 2") << Degrees{1, 2, 1};
    QTest::newRow("d 2, e 2") << Degrees{1, 2, 2}; // each expert once
    QTest::newRow("t 2, d 2, e 2") << Degrees{2, 2, 2};
    QTest::newRow("c 2") << Degrees{1, 1, 1, 2};
    QTest::newRow("c 2, d 2, e 2") << Degrees{1, 2, 2, 2};
    QTest::newRow("t 2, c 2, d 2, e 4") << Degrees{2, 2, 4, 2};
    QTest::newRow("d 4, groups of 2") << Degrees{1, 4, 1, 1, 2};
    QTest::newRow("d 4, e 2, groups of 2") << Degrees{1, 4, 2, 1, 2}; // each expert once in a group
    QTest::newRow("t 2, d 4, e 2, groups of 2") << Degrees{2, 4, 2, 1, 2};
}

} // namespace

class ZeroInPasses : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    void gradientsMatchTheReference_data() { addDegrees(); }
    /// Each form, on one device and two; the turn chooses family, router, recomputation and the mode.
    void gradientsMatchTheReference()
    {
        QFETCH(Degrees, degrees);
        int turn = degrees.tensor + degrees.replicas + degrees.expert + degrees.context;
        for (const Form form : {Form::Eager, Form::Reshard, Form::Keep})
            for (const char *family : {"1f1b", "zb-h1", "interleaved-1f1b"}) {
                const int devices = form == Form::Keep ? 1 : 2;
                if (form == Form::Keep && std::string_view(family) != "1f1b")
                    continue;
                auto experiment = planOf(family, devices, degrees, form);
                if (turn % 3 == 0)
                    test::useSigmoids(experiment);
                experiment.schedule.recompute = turn % 3 == 1 ? model::Recompute::Full : model::Recompute::None;
                experiment.training.mode = turn % 2 ? RunMode::Live : RunMode::VirtualClock;
                for (const base::Problem &problem : model::unsupported(experiment, model::Use::Run))
                    QFAIL(problem.message.c_str());
                test::verifyPlan(experiment);
                if (QTest::currentTestFailed())
                    return;
                ++turn;
            }
    }

    void bitsDependOnNeitherModeNorForm_data() { addDegrees(); }
    /// Nor on the schedule, unless it splits the backward. The losses are those of exchanges once a step but for the order of
    /// sums.
    void bitsDependOnNeitherModeNorForm()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(Degrees, degrees);
        const auto trained = [&](model::Experiment experiment, RunMode mode, const char *name) {
            experiment.training.steps = 3;
            experiment.training.mode = mode;
            experiment.training.optimizer.clip = 0.5;
            experiment.training.optimizer.weightDecay = 0.1;
            return train(experiment, name);
        };
        for (const int devices : {1, 2}) {
            const Trained whole = trained(planOf("1f1b", devices, degrees, Form::Eager), RunMode::VirtualClock, "whole");
            for (const auto &[family, form, mode] : {std::tuple("1f1b", Form::Eager, RunMode::Live),
                                                     {"1f1b", Form::Reshard, RunMode::Live},
                                                     {"1f1b", Form::Keep, RunMode::VirtualClock},
                                                     {"gpipe", Form::Reshard, RunMode::VirtualClock}}) {
                if (form == Form::Keep && devices > 1)
                    continue;
                const Trained other = trained(planOf(family, devices, degrees, form), mode, "other");
                QCOMPARE(other.losses, whole.losses);
                QVERIFY(other.gradients == whole.gradients);
                QVERIFY(other.final == whole.final);
            }
            auto deferred = planOf("zb-h1", devices, degrees, Form::Eager);
            deferred.parallel.zero2 = model::ZeroGradients::Deferred;
            const Trained once = trained(deferred, RunMode::VirtualClock, "once");
            const Trained split = trained(planOf("zb-h1", devices, degrees, Form::Reshard), RunMode::Live, "split");
            for (std::size_t step = 0; step < whole.losses.size(); ++step) {
                QVERIFY(std::abs(once.losses[step] - whole.losses[step]) < 2e-6 * whole.losses[step]);
                QVERIFY(std::abs(split.losses[step] - whole.losses[step]) < 2e-6 * whole.losses[step]);
            }
        }
    }

    void memoryIsPlanned_data() { addDegrees(); }
    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(Degrees, degrees);
        for (const Form form : {Form::Eager, Form::Reshard})
            for (const char *family : {"1f1b", "zb-h1"}) {
                auto experiment = planOf(family, 2, degrees, form);
                experiment.training.steps = 2;
                experiment.training.mode = RunMode::VirtualClock; // the fullest rank has the greatest peak
                test::checkBothPeaks(experiment);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    void shardedVocabularyMatchesTheReference_data()
    {
        QTest::addColumn<VocabularyMethod>("method");
        for (const auto method : {VocabularyMethod::Naive, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2})
            QTest::newRow(model::name(method).data()) << method;
        QTest::newRow("interlaced") << VocabularyMethod::None;
    }
    /// Vocabulary passes gather and reduce too, with the same bits in every form and mode; the turn chooses tensor ranks,
    /// replicas, what tensor ranks divide, and the kind of vocabulary layers.
    void shardedVocabularyMatchesTheReference()
    {
        QFETCH(VocabularyMethod, method);
        const bool isOfFamily = method == VocabularyMethod::None;
        int turn = static_cast<int>(method);
        for (const char *family : {isOfFamily ? "interlaced" : "1f1b", "zb-h1", "v-half"}) {
            if (isOfFamily && std::string_view(family) != "interlaced")
                continue;
            ++turn;
            auto experiment = shardedPlan(family, method, {1 + turn % 2, 2 + turn / 2 % 2, 1}, Form::Eager);
            if (turn % 4 == 1)
                experiment.parallel.vocabularySharding = model::VocabularySharding::Device;
            if (turn % 3 == 2)
                experiment.schedule.vocabularyKind = model::VocabularyKind::RecomputeLogits;
            experiment.model.tied = turn % 2 == 0; // a device has both gradients of its rows
            for (const base::Problem &problem : model::unsupported(experiment, model::Use::Run))
                QFAIL(problem.message.c_str());
            test::verifyPlan(experiment);
            if (QTest::currentTestFailed())
                return;
            experiment.training.steps = 3;
            experiment.training.optimizer.clip = 0.5;
            const Trained eager = train(experiment, "eager");
            experiment.parallel.zero = 3;
            experiment.training.mode = RunMode::Live;
            const Trained gathered = train(experiment, "gathered");
            QCOMPARE(gathered.losses, eager.losses);
            QVERIFY(gathered.gradients == eager.gradients);
            QVERIFY(gathered.final == eager.final);
        }
    }

    void memoryOfShardedVocabularyIsPlanned_data() { shardedVocabularyMatchesTheReference_data(); }
    void memoryOfShardedVocabularyIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(VocabularyMethod, method);
        for (const Form form : {Form::Eager, Form::Reshard}) {
            auto experiment = shardedPlan(method == VocabularyMethod::None ? "interlaced" : "1f1b", method, {1, 4, 1}, form);
            experiment.training.steps = 2;
            experiment.model.tied = form == Form::Reshard;
            test::checkBothPeaks(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    void tiedTablesOfOneDeviceMatchTheReference()
    {
        for (const Form form : {Form::Eager, Form::Reshard, Form::Keep}) {
            auto experiment = planOf("1f1b", 1, {1, 2, 2}, form);
            experiment.model.tied = true;
            test::verifyPlan(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// Of few blocks the last of four replicas gets none. It waits for the others all the same, and they for it, so that
    /// messages do not pile up.
    void replicasWithoutSharesDoNotRunAhead()
    {
        for (const auto &[family, form] : {std::pair("1f1b", Form::Eager), {"gpipe", Form::Reshard}}) {
            auto experiment = planOf(family, 1, {1, 4, 1}, form);
            experiment.model.experts = 0;
            experiment.model.layers = 1;
            experiment.model.hidden = 16;
            experiment.model.heads = experiment.model.kvHeads = 2;
            experiment.model.ffn = 32;
            experiment.parallel.stageLayers.clear();
            experiment.parallel.microbatches = 64;
            experiment.training.steps = 2;
            experiment.training.mode = RunMode::Live;
            experiment = operators::resolved(experiment, 2);
            const std::vector<double> losses = test::lossesOf(experiment);
            QCOMPARE(losses.size(), std::size_t{2});
            experiment.training.mode = RunMode::VirtualClock;
            QCOMPARE(test::lossesOf(experiment), losses);
        }
    }

    void devicesWithoutParametersExchangeNothing()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const RunMode mode : {RunMode::Live, RunMode::VirtualClock})
            for (const Form form : {Form::Eager, Form::Reshard}) {
                auto experiment = planOf("1f1b", 3, {1, 2, 2}, form);
                experiment.schedule.vocabulary = VocabularyMethod::Redis;
                experiment.parallel.stageLayers = {experiment.model.layers / 2, 0, experiment.model.layers / 2};
                experiment.training.mode = mode;
                test::verifyPlan(experiment);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    void resumedRunsHaveTheSameBits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const Form form : {Form::Eager, Form::Reshard}) {
            auto experiment = planOf("1f1b", 2, {1, 4, 2}, form);
            experiment.training.steps = 4;
            const Trained whole = train(experiment, "uncut");
            experiment.training.steps = 2;
            (void)train(experiment, "cut", {{}, {}, place("checkpoint"), 2, {}});
            experiment.training.steps = 4;
            const Trained rest = train(experiment, "rest", {{}, {}, {}, 0, place("checkpoint")});
            QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 2, whole.losses.end()));
            QVERIFY(rest.final == whole.final);
            auto other = experiment; // exchanges once a step, with one expert rank
            other.parallel.expert = 1;
            other.parallel.zero2 = model::ZeroGradients::Deferred;
            other.parallel.zero3 = model::ZeroParameters::Resident;
            const Trained continued = train(other, "continued", {{}, {}, {}, 0, place("checkpoint")});
            for (std::size_t step = 0; step < 2; ++step)
                QVERIFY(std::abs(continued.losses[step] - whole.losses[step + 2]) < 2e-5);
        }
    }

    void heldBackTokensAreEvaluatedAlike()
    {
        STAGELENS_NOT_UNDER_TSAN();
        std::vector<double> losses;
        for (const Form form : {Form::Eager, Form::Reshard})
            losses.push_back(heldBackLoss(planOf("1f1b", 2, {1, 4, 2}, form)));
        QCOMPARE(losses[1], losses[0]);
    }

    void bitsIn16BitsDependOnNeitherModeNorForm()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const model::DataType dtype : {model::DataType::Bf16, model::DataType::Fp16}) {
            const auto trained = [&](Form form, RunMode mode, const char *name) {
                auto experiment = planOf("1f1b", 2, {1, 4, 2}, form);
                experiment.model.dtype = dtype;
                experiment.training.steps = 3;
                experiment.training.mode = mode;
                return train(experiment, name);
            };
            const Trained one = trained(Form::Eager, RunMode::VirtualClock, "one");
            const Trained other = trained(Form::Reshard, RunMode::Live, "other");
            QCOMPARE(other.losses, one.losses);
            QVERIFY(other.gradients == one.gradients);
            QVERIFY(other.final == one.final);
            auto once = planOf("1f1b", 2, {1, 4, 2}, Form::Eager);
            once.model.dtype = dtype;
            once.parallel.zero2 = model::ZeroGradients::Deferred;
            once.training.steps = 3;
            const std::vector<double> losses = test::lossesOf(once);
            for (std::size_t step = 0; step < losses.size(); ++step)
                QVERIFY(std::abs(one.losses[step] - losses[step]) < 2e-3 * losses[step]);
        }
    }

    void otherOptimizersMatchTheReference()
    {
        for (const char *optimizer : {"muon", "adafactor"}) {
            auto experiment = planOf("1f1b", 2, {1, 4, 2}, Form::Reshard);
            experiment.training.optimizer.name = optimizer;
            test::verifyPlan(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// Two directions, and tied tables of two devices, add gradients of two devices at the end of a step.
    void sumsOverDevicesAreRefused()
    {
        const auto fieldOf = [](const model::Experiment &experiment) {
            const auto refused = runtime::verify(experiment, test::scheduleOf(experiment), {});
            return refused.ok() ? std::string() : refused.error().problems.front().field;
        };
        QCOMPARE(fieldOf(planOf("dualpipe", 2, {1, 2, 2}, Form::Eager)), std::string("parallel.zero"));
        auto tied = planOf("1f1b", 2, {1, 2, 2}, Form::Eager);
        tied.model.tied = true;
        QCOMPARE(fieldOf(tied), std::string("model.tied"));
        auto pairs = planOf("1f1b", 1, {1, 2, 1}, Form::Keep); // whose backwards do not follow their forwards
        QVERIFY(model::unsupported(pairs, model::Use::Predict).empty());
        pairs.schedule.overlappedPairs = true;
        QCOMPARE(model::unsupported(pairs, model::Use::Predict).front().field, std::string("parallel.zero3"));
    }
};

STAGELENS_TEST(ZeroInPasses)

} // namespace integration_ranks_zero_in_passes

#include "ranks/zero_in_passes.moc"
