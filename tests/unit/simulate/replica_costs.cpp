// ZeRO that exchanges in every microbatch: the time of a pass, what a rank sends in a step, and what it holds.
#include "engine/simulate/costs/replica_costs.h"
#include "engine/base/random.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/metrics.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

namespace unit_simulate_replica_costs {

using namespace stagelens;
using model::ZeroGradients;
using model::ZeroParameters;
using schedule::PassKind;
using simulate::ExchangeUnit;
using simulate::MemoryCategory;

namespace {

bool isNear(double one, double other)
{
    return std::abs(one - other) <= 1e-12 * std::max(1.0, std::abs(other));
}

model::Experiment planOf(const char *family, int devices, int zero, bool inPasses,
                         ZeroParameters parameters = ZeroParameters::Reshard)
{
    model::Experiment experiment;
    experiment.model = test::gptOf(8, 1024, 16, 512, 32000, model::DataType::Bf16);
    experiment.parallel.devices = devices;
    experiment.parallel.microbatches = 8;
    experiment.parallel.replicas = 4;
    experiment.parallel.zero = zero;
    experiment.parallel.zero2 = inPasses ? ZeroGradients::Eager : ZeroGradients::Deferred;
    experiment.parallel.zero3 = inPasses ? parameters : ZeroParameters::Resident;
    experiment.schedule.family = family;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

} // namespace

class SimulateReplicaCosts : public QObject {
    Q_OBJECT

private slots:
    /// L equal units with c of compute, a gather of g and a reduction of r.
    void aPassTakesItsClosedForm()
    {
        constexpr std::uint64_t kSeed = 20261124;
        const base::Random random(kSeed, 0);
        for (std::uint64_t turn = 0; turn < 200; ++turn) {
            const auto number = [&](std::uint64_t which) { return 0.1 + random.uniform(3 * turn + which); };
            const double c = number(0);
            const double g = number(1);
            const double r = number(2);
            for (const int layers : {1, 2, 7}) {
                const auto secondsOf = [layers](const ExchangeUnit &unit) {
                    return simulate::secondsWithExchanges(std::vector<ExchangeUnit>(static_cast<std::size_t>(layers), unit));
                };
                const double others = layers - 1;
                QVERIFY(isNear(secondsOf({c, 0, 0}), layers * c));
                QVERIFY(isNear(secondsOf({c, g, 0}), g + others * std::max(c, g) + c));
                QVERIFY(isNear(secondsOf({c, 0, r}), c + others * std::max(c, r) + r));
                // Both on one lane: never less than either resource needs, nor more than without overlap.
                const double both = secondsOf({c, g, r});
                QVERIFY(both >= g + layers * c + r - 1e-12 && both >= layers * (g + r) - 1e-12);
                QVERIFY(both <= layers * (g + c + r) + 1e-12);
            }
        }
    }

    void aRankSendsWhatEveryMicrobatchExchanges_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("devices");
        for (const char *family : {"1f1b", "gpipe", "zb-h1", "interleaved-1f1b", "zb-v"})
            for (const int devices : {1, 2, 4})
                if (devices > 1 || QByteArray(family) == "1f1b")
                    QTest::addRow("%s, %d", family, devices) << QString(family) << devices;
    }
    /// In (d - 1) / d of parameters (2 bytes) and gradients (4 bytes): 1 + 1, m + 1 and m + 2 m.
    void aRankSendsWhatEveryMicrobatchExchanges()
    {
        QFETCH(QString, family);
        QFETCH(int, devices);
        constexpr double kMicrobatches = 8;
        struct Case {
            int zero;
            bool inPasses;
            double gradients;
            double parameters;
        };
        for (const Case &each : {Case{0, false, 2, 0},
                                 {1, false, 1, 1},
                                 {2, false, 1, 1},
                                 {3, false, 1, 1},
                                 {2, true, kMicrobatches, 1},
                                 {3, true, kMicrobatches, 2 * kMicrobatches}}) {
            const model::Experiment experiment = planOf(family.toUtf8().constData(), devices, each.zero, each.inPasses);
            const base::Problems problems = model::validate(experiment);
            QVERIFY2(problems.empty(), problems.empty() ? "" : base::Error::invalid(problems).text().c_str());
            const test::Plan plan = test::planOf(experiment);
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const simulate::Metrics metrics =
                simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
            for (int device = 0; device < devices; ++device) {
                const auto count =
                    static_cast<double>(simulate::deviceParameters(plan.experiment, plan.schedule, device).count);
                const double expected = 0.75 * count * (4 * each.gradients + 2 * each.parameters);
                const auto sent = static_cast<double>(metrics.replicaTraffic[static_cast<std::size_t>(device)]);
                QVERIFY2(std::abs(sent - expected) < 100, qPrintable(QString::number(sent / expected, 'g', 12)));
            }
            QCOMPARE(metrics.replicaPerDevice.empty(), !each.inPasses);
        }
    }

    /// A forward gathers, its backward has the parameters, and another forward gathers again.
    void keptParametersAreGatheredOnceAMicrobatch()
    {
        const test::Plan reshard = test::planOf(planOf("1f1b", 1, 3, true));
        const test::Plan kept = test::planOf(planOf("1f1b", 1, 3, true, ZeroParameters::KeepUntilBackward));
        QVERIFY2(kept.error.empty(), kept.error.c_str());
        QCOMPARE(kept.costs.pass(0, PassKind::F, 0).duration, reshard.costs.pass(0, PassKind::F, 0).duration);
        QVERIFY(kept.costs.pass(0, PassKind::B, 0).duration < reshard.costs.pass(0, PassKind::B, 0).duration);
        const std::int64_t count = simulate::deviceParameters(kept.experiment, kept.schedule, 0).count;
        const simulate::Metrics metrics =
            simulate::computeMetrics(kept.experiment, kept.schedule, kept.timeline, &kept.costs, 0);
        const double expected = 0.75 * static_cast<double>(count) * 8 * (4 + 2); // of each of 8 microbatches
        QVERIFY(std::abs(static_cast<double>(metrics.replicaTraffic[0]) - expected) < 100);
        const simulate::MemoryPeak peak = simulate::memoryPeak(kept.experiment, kept.schedule, kept.timeline, 0);
        QCOMPARE(peak.byCategory[at(MemoryCategory::Parameters)], 2 * (count / 4) + 2 * count);
        QVERIFY(peak.total > simulate::memoryPeak(reshard.experiment, reshard.schedule, reshard.timeline, 0).total);
        // In a pipeline some forwards would find the parameters of another microbatch.
        for (const auto &[family, devices] : {std::pair("1f1b", 2), std::pair("gpipe", 1)}) {
            const base::Problems problems =
                model::validate(planOf(family, devices, 3, true, ZeroParameters::KeepUntilBackward));
            QVERIFY(!problems.empty());
            QVERIFY(base::Error::invalid(problems).text().find("choose reshard or resident, or 1F1B on one device") !=
                    std::string::npos);
        }
    }

    /// In groups of n: a reduce-scatter and an all-gather in the group, and an all-reduce of 1 / n of the gradients over d / n.
    void groupsSumTheirShares()
    {
        for (const int group : {2, 4, 8}) {
            model::Experiment experiment = planOf("1f1b", 2, 2, false);
            experiment.parallel.replicas = 8;
            experiment.parallel.shardReplicas = group;
            const test::Plan plan = test::planOf(experiment);
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const simulate::Metrics metrics =
                simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
            const std::int64_t count = simulate::deviceParameters(plan.experiment, plan.schedule, 0).count;
            const double groups = 8.0 / group;
            const double expected =
                static_cast<double>(count) * ((group - 1.0) / group * (4 + 2) + 2 * (groups - 1) / groups * 4 / group);
            QVERIFY(std::abs(static_cast<double>(metrics.replicaTraffic[0]) - expected) < 100);
            QCOMPARE(metrics.peakMemoryByCategory[0][at(MemoryCategory::Optimizer)], (12 * count + group - 1) / group);
        }
    }

    /// Shares, and beside them two units of the pass.
    void aRankHoldsTwoUnitsBesideItsShares()
    {
        const auto peakOf = [](int zero, bool inPasses) {
            const test::Plan plan = test::planOf(planOf("1f1b", 4, zero, inPasses));
            return simulate::memoryPeak(plan.experiment, plan.schedule, plan.timeline, 1);
        };
        const test::Plan plan = test::planOf(planOf("1f1b", 4, 3, true));
        const std::int64_t count = simulate::deviceParameters(plan.experiment, plan.schedule, 1).count;
        const std::vector<simulate::UnitParameters> units = simulate::unitParameters(plan.experiment, plan.schedule, 1);
        QCOMPARE(units.size(), std::size_t{2}); // layers
        QCOMPARE(units[0].count() + units[1].count(), count);
        const simulate::MemoryPeak deferred = peakOf(2, false);
        const simulate::MemoryPeak eager = peakOf(2, true);
        const simulate::MemoryPeak reshard = peakOf(3, true);
        QCOMPARE(deferred.byCategory, peakOf(1, false).byCategory);
        QCOMPARE(eager.byCategory[at(MemoryCategory::Gradients)], 4 * (count / 4) + 4 * count);
        QCOMPARE(eager.byCategory[at(MemoryCategory::Parameters)], 2 * count);
        QCOMPARE(reshard.byCategory[at(MemoryCategory::Parameters)], 2 * (count / 4) + 2 * count);
        QCOMPARE(reshard.byCategory[at(MemoryCategory::Optimizer)], deferred.byCategory[at(MemoryCategory::Optimizer)]);
        // Many layers a stage: the peak falls, and passes wait.
        model::Experiment large = planOf("1f1b", 2, 3, true);
        large.model.layers = 48;
        model::Experiment resident = large;
        resident.parallel.zero3 = ZeroParameters::Resident;
        const test::Plan small = test::planOf(large);
        const test::Plan whole = test::planOf(resident);
        QVERIFY(simulate::memoryPeak(small.experiment, small.schedule, small.timeline, 0).total <
                simulate::memoryPeak(whole.experiment, whole.schedule, whole.timeline, 0).total);
        QVERIFY(small.timeline.iteration() > whole.timeline.iteration());
    }

    void passesExchangeWhatTheyUse()
    {
        const model::ParallelPlan eager = planOf("zb-h1", 2, 2, true).parallel;
        const model::ParallelPlan reshard = planOf("zb-h1", 2, 3, true).parallel;
        const model::ParallelPlan once = planOf("zb-h1", 2, 3, false).parallel;
        for (const PassKind kind : {PassKind::F, PassKind::B, PassKind::I, PassKind::W}) {
            QVERIFY(!simulate::gathersUnits(eager, kind) && !simulate::gathersUnits(once, kind) &&
                    !simulate::reducesUnits(once, kind));
            QCOMPARE(simulate::gathersUnits(reshard, kind), kind != PassKind::W);
            for (const auto &plan : {eager, reshard})
                QCOMPARE(simulate::reducesUnits(plan, kind), kind == PassKind::B || kind == PassKind::W);
        }
    }
};

STAGELENS_TEST(SimulateReplicaCosts)

} // namespace unit_simulate_replica_costs

#include "simulate/replica_costs.moc"
