// Experts that are divided over ranks, with ZeRO in every microbatch and in groups of replicas: experts are exchanged among
// the ranks that have them, all other parameters among all replicas.
#include "engine/model/capabilities.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/costs/replica_costs.h"
#include "engine/simulate/metrics.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace unit_simulate_expert_zero {

using namespace stagelens;
using model::ZeroGradients;
using model::ZeroParameters;
using schedule::PassKind;
using simulate::MemoryCategory;

namespace {

constexpr std::int64_t kShared = 4 * 64 * 64 + 8 * 64 + 2 * 64; // attention, router and two norms of a layer
constexpr std::int64_t kExpert = 3 * 64 * 128;                  // one of eight experts of a layer
constexpr double kMicrobatches = 8;

struct Degrees {
    int tensor = 1;
    int replicas = 1;
    int expert = 1;
};

/// Eight layers of eight experts in bf16, on four devices.
model::Experiment planOf(const char *family, const Degrees &degrees, int zero, bool inPasses)
{
    model::Experiment experiment;
    experiment.model.preset = "custom";
    experiment.model.family = model::ModelFamily::Llama;
    experiment.model.hidden = 64;
    experiment.model.experts = 8;
    experiment.model.topK = 2;
    experiment.model.expertFfn = 128;
    experiment.model.dtype = model::DataType::Bf16;
    experiment.parallel.devices = 4;
    experiment.parallel.microbatches = static_cast<int>(kMicrobatches);
    experiment.parallel.tensor = degrees.tensor;
    experiment.parallel.replicas = degrees.replicas;
    experiment.parallel.expert = degrees.expert;
    experiment.parallel.zero = zero;
    experiment.parallel.zero2 = inPasses ? ZeroGradients::Eager : ZeroGradients::Deferred;
    experiment.parallel.zero3 = inPasses ? ZeroParameters::Reshard : ZeroParameters::Resident;
    experiment.schedule.family = family;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

/// One node whose ranks send a byte in a nanosecond, after 1 us for each doubling of their number.
model::Hardware plainNode()
{
    model::Hardware hardware;
    hardware.insideNode = {"link", 1000, 1e9, 1};
    return hardware;
}

/// The part of a tensor that a rank of a ring sends.
double sentOf(int ranks)
{
    return (ranks - 1.0) / ranks;
}

} // namespace

class SimulateExpertZero : public QObject {
    Q_OBJECT

private slots:
    void aPassExchangesExpertsAmongTheirReplicas_data()
    {
        QTest::addColumn<Degrees>("degrees");
        QTest::addColumn<double>("reduced");  // bytes of a layer that a rank sends: 4 for each gradient
        QTest::addColumn<double>("gathered"); // 2 for each parameter
        QTest::addColumn<double>("hops");     // of both exchanges
        // 17024 parameters over all replicas; 4 or 2 of 8 experts, 24576 parameters each, over those that have them.
        QTest::newRow("d 4, e 2") << Degrees{1, 4, 2} << 4 * (0.75 * 17024 + 0.5 * 98304) << 123840.0 << 3.0;
        QTest::newRow("d 2, e 2") << Degrees{1, 2, 2} << 4 * 0.5 * 17024 << 17024.0 << 1.0; // each expert once
        QTest::newRow("d 4, e 4") << Degrees{1, 4, 4} << 4 * 0.75 * 17024 << 25536.0 << 2.0;
        QTest::newRow("d 8, e 4") << Degrees{1, 8, 4} << 4 * (0.875 * 17024 + 0.5 * 49152) << 78944.0 << 4.0;
        // Tensor ranks halve attention, and have two whole experts each.
        QTest::newRow("t 2, d 2, e 4") << Degrees{2, 2, 4} << 4 * 0.5 * (8192 + 640) << 8832.0 << 1.0;
        QTest::newRow("t 2, d 2, e 2") << Degrees{2, 2, 2} << 4 * 0.5 * (8192 + 640 + 98304) << 107136.0 << 2.0;
    }
    void aPassExchangesExpertsAmongTheirReplicas()
    {
        QFETCH(Degrees, degrees);
        QFETCH(double, reduced);
        QFETCH(double, gathered);
        QFETCH(double, hops);
        const simulate::ReplicaSpans spans{{1, degrees.replicas}, {1, degrees.replicas}};
        const auto passOf = [&](int zero, PassKind kind) {
            const test::Plan plan = test::planOf(planOf("1f1b", degrees, zero, true));
            return simulate::replicaPass(plan.experiment, plan.schedule, plainNode(), spans, kind, 1, {});
        };
        // Two layers that take no time: one exchange after another.
        const auto isOf = [&](const simulate::ReplicaPass &pass, double bytes, double exchanges) {
            QVERIFY2(std::abs(pass.bytes - 2 * bytes) < 1e-6, qPrintable(QString::number(pass.bytes / 2, 'g', 12)));
            const double seconds = 2 * (1e-9 * bytes + 1e-6 * hops * exchanges);
            QVERIFY2(std::abs(pass.seconds - seconds) < 1e-15, qPrintable(QString::number(pass.seconds / seconds, 'g', 12)));
        };
        isOf(passOf(2, PassKind::B), reduced, 1);
        isOf(passOf(3, PassKind::F), gathered, 1);
        isOf(passOf(3, PassKind::B), gathered + reduced, 2);
    }

    /// A unit that computes for 100 us hides what is exchanged beside it: the last reduction of a backward follows its pass.
    void whatNothingHidesIsTheLastReduction()
    {
        const test::Plan plan = test::planOf(planOf("1f1b", {1, 4, 2}, 2, true));
        const simulate::ReplicaPass pass = simulate::replicaPass(plan.experiment, plan.schedule, plainNode(), {{1, 4}, {1, 2}},
                                                                 PassKind::B, 1, {.layer = 1e-3});
        const double reduction = 1e-9 * 4 * (0.75 * 17024 + 0.5 * 98304) + 3e-6; // 250.68 us
        QVERIFY(std::abs(pass.seconds - (2e-3 + reduction)) < 1e-15);
    }

    void aStepSendsWhatItsPassesExchange_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<Degrees>("degrees");
        for (const char *family : {"1f1b", "zb-h1", "interleaved-1f1b"}) {
            QTest::addRow("%s, d 2, e 2", family) << QString(family) << Degrees{1, 2, 2};
            QTest::addRow("%s, d 4, e 2", family) << QString(family) << Degrees{1, 4, 2};
            QTest::addRow("%s, t 2, d 2, e 2", family) << QString(family) << Degrees{2, 2, 2};
        }
    }
    void aStepSendsWhatItsPassesExchange()
    {
        QFETCH(QString, family);
        QFETCH(Degrees, degrees);
        struct Case {
            int zero;
            bool inPasses;
            double gradients; ///< times that a step reduces each
            double parameters;
        };
        for (const Case &each : {Case{2, false, 1, 1},
                                 {3, false, 1, 1},
                                 {2, true, kMicrobatches, 1},
                                 {3, true, kMicrobatches, 2 * kMicrobatches}}) {
            const model::Experiment experiment = planOf(family.toUtf8().constData(), degrees, each.zero, each.inPasses);
            const base::Problems problems = model::validate(experiment);
            QVERIFY2(problems.empty(), problems.empty() ? "" : base::Error::invalid(problems).text().c_str());
            const test::Plan plan = test::planOf(experiment);
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const simulate::Metrics metrics =
                simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
            QCOMPARE(metrics.replicaPerDevice.empty(), !each.inPasses);
            for (int device = 0; device < 4; ++device) {
                const auto all = simulate::deviceParameters(plan.experiment, plan.schedule, device);
                const std::int64_t experts = 2 * (8 / degrees.expert) * kExpert; // of two layers
                QCOMPARE(all.experts, experts);
                const double sent = sentOf(degrees.replicas) * static_cast<double>(all.count - experts) +
                                    sentOf(experiment.parallel.expertReplicas()) * static_cast<double>(experts);
                const double expected = sent * (4 * each.gradients + 2 * each.parameters);
                const auto found = static_cast<double>(metrics.replicaTraffic[static_cast<std::size_t>(device)]);
                QVERIFY2(std::abs(found - expected) < 100, qPrintable(QString::number(found / expected, 'g', 12)));
            }
        }
    }

    /// Shares, and beside them two units of what has other replicas.
    void aRankHoldsTwoUnitsOfWhatItExchanges_data()
    {
        QTest::addColumn<Degrees>("degrees");
        QTest::newRow("d 4, e 2") << Degrees{1, 4, 2};
        QTest::newRow("d 4, e 4") << Degrees{1, 4, 4};
    }
    void aRankHoldsTwoUnitsOfWhatItExchanges()
    {
        QFETCH(Degrees, degrees);
        const std::int64_t shared = 2 * kShared; // of device 1
        const std::int64_t experts = 2 * (8 / degrees.expert) * kExpert;
        const std::int64_t copies = degrees.replicas / degrees.expert;
        const std::int64_t shares = shared / degrees.replicas + experts / copies;
        const std::int64_t units = shared + (copies > 1 ? experts : 0);
        const auto peakOf = [&](int zero) {
            const test::Plan plan = test::planOf(planOf("1f1b", degrees, zero, true));
            return simulate::memoryPeak(plan.experiment, plan.schedule, plan.timeline, 1).byCategory;
        };
        const auto eager = peakOf(2);
        QCOMPARE(eager[at(MemoryCategory::Gradients)], 4 * (shares + units));
        QCOMPARE(eager[at(MemoryCategory::Parameters)], 2 * (shared + experts));
        QCOMPARE(eager[at(MemoryCategory::Optimizer)], 12 * shares);
        const auto reshard = peakOf(3);
        QCOMPARE(reshard[at(MemoryCategory::Gradients)], 4 * (shares + units));
        QCOMPARE(reshard[at(MemoryCategory::Parameters)], 2 * (shares + units));
        QCOMPARE(reshard[at(MemoryCategory::Optimizer)], 12 * shares);
    }

    /// Parameters of experts stay until the backward, too.
    void keptParametersAreGatheredOnceAMicrobatch()
    {
        model::Experiment experiment = planOf("1f1b", {1, 4, 2}, 3, true);
        experiment.parallel.devices = 1;
        experiment.parallel.zero3 = ZeroParameters::KeepUntilBackward;
        const test::Plan plan = test::planOf(experiment);
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        const simulate::Metrics metrics =
            simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
        const auto all = simulate::deviceParameters(plan.experiment, plan.schedule, 0);
        QCOMPARE(all.experts, 8 * 4 * kExpert);
        const double sent = 0.75 * static_cast<double>(all.count - all.experts) + 0.5 * static_cast<double>(all.experts);
        QVERIFY(std::abs(static_cast<double>(metrics.replicaTraffic[0]) - sent * kMicrobatches * (4 + 2)) < 100);
    }

    /// In a shard group of n replicas, n / (replicas that share experts) have the same experts; then all groups sum.
    void groupsSumTheirSharesOfExperts_data()
    {
        QTest::addColumn<Degrees>("degrees");
        QTest::addColumn<int>("group");
        QTest::addColumn<int>("copies");
        QTest::newRow("d 8, e 2, groups of 4") << Degrees{1, 8, 2} << 4 << 2;
        QTest::newRow("d 8, e 2, groups of 2") << Degrees{1, 8, 2} << 2 << 1;
        QTest::newRow("d 8, e 4, groups of 8") << Degrees{1, 8, 4} << 8 << 2;
        QTest::newRow("t 2, d 4, e 4, groups of 2") << Degrees{2, 4, 4} << 2 << 1;
    }
    void groupsSumTheirSharesOfExperts()
    {
        QFETCH(Degrees, degrees);
        QFETCH(int, group);
        QFETCH(int, copies);
        model::Experiment experiment = planOf("1f1b", degrees, 2, false);
        experiment.parallel.shardReplicas = group;
        const base::Problems problems = model::validate(experiment);
        QVERIFY2(problems.empty(), problems.empty() ? "" : base::Error::invalid(problems).text().c_str());
        const test::Plan plan = test::planOf(experiment);
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        QCOMPARE(layout::expertShardGroup(experiment.parallel), copies);
        const simulate::Metrics metrics =
            simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
        const auto all = simulate::deviceParameters(plan.experiment, plan.schedule, 1);
        const std::int64_t shared = all.count - all.experts;
        const int groups = degrees.replicas / group;
        // A reduce-scatter and a gather in the group, and an all-reduce of the share over the groups.
        const auto sent = [&](std::int64_t count, int shards) {
            return static_cast<double>(count) * (sentOf(shards) * (4 + 2) + 2 * sentOf(groups) * 4 / shards);
        };
        const double expected = sent(shared, group) + sent(all.experts, copies);
        QVERIFY2(std::abs(static_cast<double>(metrics.replicaTraffic[1]) - expected) < 100,
                 qPrintable(QString::number(static_cast<double>(metrics.replicaTraffic[1]) / expected, 'g', 12)));
        QCOMPARE(metrics.peakMemoryByCategory[1][at(MemoryCategory::Optimizer)], 12 * (shared / group + all.experts / copies));
    }

    /// The name of the field, the cause, and the nearest multiple.
    void shardGroupsHaveWholeExpertGroups()
    {
        const auto problemOf = [](const Degrees &degrees, int group) {
            model::Experiment experiment = planOf("1f1b", degrees, 1, false);
            experiment.parallel.shardReplicas = group;
            const base::Problems problems = model::validate(experiment);
            return problems.size() != 1 ? std::to_string(problems.size()) : problems[0].field + ": " + problems[0].message;
        };
        QCOMPARE(problemOf({1, 8, 4}, 4), std::string("0"));
        QCOMPARE(problemOf({1, 8, 4}, 2), std::string("parallel.shard_replicas: is 2, which is no multiple of the 4 replicas "
                                                      "that share experts; choose 4"));
        QCOMPARE(problemOf({1, 12, 4}, 6), std::string("parallel.shard_replicas: is 6, which is no multiple of the 4 replicas "
                                                       "that share experts; choose 4"));
        QCOMPARE(problemOf({2, 4, 2}, 2), std::string("0")); // the tensor ranks of a replica
    }

    /// A run exchanges all of a device at once, and predictions that describe the engine count so.
    void runsExchangeADeviceAtOnce()
    {
        for (const auto &[family, layers] : {std::pair("1f1b", 2), {"interleaved-1f1b", 1}}) {
            model::Experiment experiment = planOf(family, {1, 4, 2}, 3, true);
            experiment.model.dtype = model::DataType::Fp32;
            QVERIFY(model::unsupported(experiment, model::Use::Run).empty());
            const test::Plan plan = test::planOf(experiment);
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const simulate::ReplicaPass pass = simulate::replicaPass(plan.experiment, plan.schedule, plainNode(),
                                                                     {{1, 4}, {1, 2}}, PassKind::B, 1, {.layer = 1e-3});
            const double bytes = 2 * (0.75 * 17024 + 0.5 * 98304); // of two layers, in one stage or two
            QVERIFY(std::abs(pass.bytes - 8 * bytes) < 1e-6);      // gathered and reduced
            QVERIFY(std::abs(pass.seconds - (1e-3 * layers + 8e-9 * bytes + 6e-6)) < 1e-15);
        }
    }
};

STAGELENS_TEST(SimulateExpertZero)

} // namespace unit_simulate_expert_zero

#include "simulate/expert_zero.moc"
