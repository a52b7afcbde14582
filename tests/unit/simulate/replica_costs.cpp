// ZeRO that exchanges in every microbatch: the time of a pass, what a rank sends in a step, and what it holds.
#include "engine/simulate/costs/replica_costs.h"
#include "engine/base/random.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/operators/sizes.h"
#include "engine/passes/result_rows.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/metrics.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

namespace unit_simulate_replica_costs {

using namespace stagelens;
using model::VocabularyMethod;
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

/// Factors of the ranks of a plan: of replica k on device r that of rank r d + k.
using SlowRanks = std::vector<double>;

/// Simulates the passes of all replicas together, and returns when each device has ended its last pass in every replica. A pass
/// that gathers begins in all replicas at once, and one that reduces ends so. `plan`: without slow ranks.
std::vector<base::Nanos> jointEnds(const test::Plan &plan, const SlowRanks &slow)
{
    const int devices = plan.schedule.devices();
    const auto replicas = static_cast<std::size_t>(plan.experiment.parallel.replicas);
    const schedule::ResultRows rows(plan.schedule.stages(), devices);
    const schedule::RequirementRules rules{plan.schedule.placement().lastStage(), plan.schedule.vocabulary(), 1};
    const simulate::UnitUse use(plan.experiment.parallel, plan.schedule.vocabulary());
    using Ends = std::vector<base::Nanos>;                             // by replica
    std::map<std::tuple<schedule::ResultRow, int, int>, Ends> results; // by row, microbatch and device
    std::vector<std::size_t> next(static_cast<std::size_t>(devices));
    std::vector<Ends> free(static_cast<std::size_t>(devices), Ends(replicas));
    const auto together = static_cast<std::ptrdiff_t>(plan.experiment.parallel.shardGroup());
    const auto waitForEachOther = [&](Ends &times) {
        for (auto first = times.begin(); first != times.end(); first += together)
            std::fill(first, first + together, *std::max_element(first, first + together));
    };
    const auto readyOf = [&](const schedule::Pass &pass, int device) -> std::optional<Ends> {
        Ends ready = free[static_cast<std::size_t>(device)];
        bool isReady = true;
        schedule::forEachRequirement(rules, pass, [&](const schedule::Requirement &each) {
            const schedule::ResultRow row = rows.of(each.kind, each.stage);
            for (int from = 0; from < devices; ++from) {
                if (!each.allDevices && from != plan.schedule.placement().deviceOf(each.stage) && !rows.isShared(row))
                    continue;
                if (!each.allDevices && rows.isShared(row) && from != device)
                    continue;
                const auto found = results.find({row, pass.microbatch, from});
                isReady = isReady && found != results.end();
                for (std::size_t replica = 0; isReady && replica < replicas; ++replica)
                    ready[replica] =
                        std::max(ready[replica], found->second[replica] + plan.costs.transfer(each.transfer, from, device));
            }
        });
        return isReady ? std::optional(ready) : std::nullopt;
    };
    for (bool isMoving = true; isMoving;) {
        isMoving = false;
        for (int device = 0; device < devices; ++device) {
            const auto lane = static_cast<std::size_t>(device);
            while (next[lane] < plan.schedule.device(device).size()) {
                const schedule::Pass &pass = plan.schedule.device(device)[next[lane]];
                auto begin = readyOf(pass, device);
                if (!begin)
                    break;
                const simulate::PassCost cost = plan.costs.of(device, pass);
                Ends &end = *begin;
                if (use.gathers(pass.kind))
                    waitForEachOther(end);
                for (std::size_t replica = 0; replica < replicas; ++replica)
                    end[replica] +=
                        std::llround(slow[lane * replicas + replica] * static_cast<double>(cost.duration - cost.replica));
                if (use.reduces(pass.kind))
                    waitForEachOther(end);
                for (base::Nanos &each : end)
                    each += cost.replica;
                results[{rows.of(pass.kind, pass.stage), pass.microbatch, device}] = end;
                free[lane] = end;
                ++next[lane];
                isMoving = true;
            }
        }
    }
    std::vector<base::Nanos> ends;
    for (const Ends &each : free)
        ends.push_back(std::ranges::max(each));
    return ends;
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

    /// In every pass within the group, and once a step over the groups.
    void groupsExchangeInPasses()
    {
        for (const int zero : {2, 3}) {
            model::Experiment experiment = planOf("1f1b", 2, zero, true);
            experiment.parallel.replicas = 8;
            experiment.parallel.shardReplicas = 4;
            const test::Plan plan = test::planOf(experiment);
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const simulate::Metrics metrics =
                simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
            const auto count = static_cast<double>(simulate::deviceParameters(plan.experiment, plan.schedule, 0).count);
            const double microbatches = 8;
            const double inGroup = 0.75 * (4 * microbatches + 2 * (zero == 2 ? 1 : 2 * microbatches));
            const double expected = count * (inGroup + 2 * (2 - 1) / 2.0 * 4 / 4);
            QVERIFY(std::abs(static_cast<double>(metrics.replicaTraffic[0]) - expected) < 100);
            // Of fewer ranks.
            model::Experiment all = experiment;
            all.parallel.shardReplicas = 0;
            const test::Plan wide = test::planOf(all);
            QVERIFY(plan.costs.pass(0, PassKind::B, 0).replica < wide.costs.pass(0, PassKind::B, 0).replica);
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
        const auto use = [](int zero, bool inPasses, VocabularyMethod method) {
            return simulate::UnitUse(planOf("zb-h1", 2, zero, inPasses).parallel, method);
        };
        for (int index = 0; index < schedule::kPassKindCount; ++index) {
            const auto kind = static_cast<PassKind>(index);
            if (kind == PassKind::O)
                continue;
            const bool isReduced = kind == PassKind::B || kind == PassKind::W || kind == PassKind::T || kind == PassKind::EB;
            for (const auto method : {VocabularyMethod::Vocab1, VocabularyMethod::Interlaced}) {
                const simulate::UnitUse eager = use(2, true, method);
                const simulate::UnitUse reshard = use(3, true, method);
                const simulate::UnitUse once = use(3, false, method);
                QVERIFY(!eager.gathers(kind) && !once.gathers(kind) && !once.reduces(kind) && !once.addsGradients(kind));
                QCOMPARE(reshard.gathers(kind), kind != PassKind::W && kind != PassKind::EB);
                // The S of interlaced does the work of T.
                const bool isWholeOutput = kind == PassKind::S && method == VocabularyMethod::Interlaced;
                for (const auto &each : {eager, reshard})
                    QCOMPARE(each.reduces(kind), isReduced || isWholeOutput);
            }
        }
    }

    void vocabularyPassesExchangeTheirRows_data()
    {
        QTest::addColumn<int>("method");
        for (const auto method : {VocabularyMethod::Naive, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2})
            QTest::newRow(model::name(method).data()) << static_cast<int>(method);
    }
    /// Each pass that reads rows gathers them, T and EB reduce their gradients. Of all else as with whole vocabulary layers.
    void vocabularyPassesExchangeTheirRows()
    {
        QFETCH(const int, method);
        constexpr double kMicrobatches = 8;
        for (const int zero : {2, 3}) {
            model::Experiment experiment = planOf("1f1b", 4, zero, true);
            experiment.model.tied = false;
            experiment.schedule.vocabulary = static_cast<VocabularyMethod>(method);
            const test::Plan plan = test::planOf(experiment);
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const simulate::Metrics metrics =
                simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
            // Rows of the output table are read by S and T, and by U of the naive method.
            const double reads = zero == 2 ? 0 : experiment.schedule.vocabulary == VocabularyMethod::Naive ? 4 : 3;
            for (int device = 0; device < 4; ++device) {
                const auto all = static_cast<double>(simulate::deviceParameters(plan.experiment, plan.schedule, device).count);
                constexpr double kTable = 32000.0 / 4 * 1024;
                const double gradients = 4 * kMicrobatches * all;
                const double parameters = zero == 2 ? 2 * all : 2 * kMicrobatches * (2 * (all - 2 * kTable) + reads * kTable);
                const auto sent = static_cast<double>(metrics.replicaTraffic[static_cast<std::size_t>(device)]);
                QVERIFY2(std::abs(sent - 0.75 * (gradients + parameters)) < 100,
                         qPrintable(QString::number(sent / 0.75 / (gradients + parameters), 'g', 12)));
                const simulate::PassCost &pass = plan.costs.pass(device, PassKind::T, device);
                QVERIFY(pass.replica > 0 && pass.duration > pass.vocabulary);
                QCOMPARE(plan.costs.pass(device, PassKind::S, device).replica > 0, zero == 3);
            }
            // A device holds shares, and the rows that a pass uses beside them.
            model::Experiment resident = experiment;
            resident.parallel.zero2 = ZeroGradients::Deferred;
            resident.parallel.zero3 = ZeroParameters::Resident;
            const test::Plan whole = test::planOf(resident);
            QVERIFY(simulate::memoryPeak(plan.experiment, plan.schedule, plan.timeline, 1).total <
                    simulate::memoryPeak(whole.experiment, whole.schedule, whole.timeline, 1).total);
        }
    }

    /// ZeRO-3 in every pass: as if replicas, of which some ranks are slow, were simulated together.
    void slowReplicasAreWaitedFor()
    {
        constexpr std::uint64_t kSeed = 20261130;
        const base::Random random(kSeed, 0);
        std::uint64_t drawn = 0;
        const auto below = [&](int count) { return static_cast<int>(random.uniform(drawn++) * count); };
        for (int turn = 0; turn < 60; ++turn) {
            const char *const families[] = {"1f1b", "gpipe", "zb-h1", "interleaved-1f1b"};
            model::Experiment experiment = planOf(families[below(4)], 2 + 2 * below(2), 3, true);
            experiment.model.tied = false;
            experiment.schedule.vocabulary = std::array{VocabularyMethod::None, VocabularyMethod::Vocab1,
                                                        VocabularyMethod::Vocab2}[static_cast<std::size_t>(below(3))];
            experiment.parallel.replicas = 2 + below(3);
            experiment.parallel.shardReplicas = experiment.parallel.replicas == 4 ? 2 : 0;
            SlowRanks slow;
            for (int rank = 0; rank < experiment.parallel.devices * experiment.parallel.replicas; ++rank) {
                slow.push_back(below(3) == 0 ? 1 + 0.25 * (1 + below(4)) : 1);
                if (slow.back() > 1)
                    experiment.whatIf.slow += QString("%1rank=%2:%3")
                                                  .arg(experiment.whatIf.slow.empty() ? "" : ",")
                                                  .arg(rank)
                                                  .arg(slow.back())
                                                  .toStdString();
            }
            QVERIFY(model::validate(experiment).empty());
            const test::Plan plan = test::planOf(experiment);
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            experiment.whatIf.slow.clear();
            const test::Plan equal = test::planOf(experiment);
            const std::vector<base::Nanos> ends = jointEnds(equal, slow);
            // An EB gathers nothing. If the backward before it is split, it may begin earlier in the replica that is slow.
            const bool isBound = experiment.schedule.family == "zb-h1" && shardsVocabulary(experiment.schedule);
            for (std::size_t device = 0; device < ends.size(); ++device) {
                const base::Nanos end = plan.timeline.lanes[device].end.back();
                const bool isWithin =
                    end >= ends[device] && static_cast<double>(end) < 1.002 * static_cast<double>(ends[device]);
                QVERIFY2(isBound ? isWithin : end == ends[device],
                         qPrintable(QString("seed %1, turn %2, device %3: %4, together %5")
                                        .arg(kSeed)
                                        .arg(turn)
                                        .arg(device)
                                        .arg(end)
                                        .arg(ends[device])));
            }
        }
    }

    /// Its forwards wait for no other replica, so that such plans are not simulated.
    void slowReplicasOfEagerZero2AreRefused()
    {
        model::Experiment experiment = planOf("1f1b", 2, 2, true);
        experiment.whatIf.slow = "1=1.5";
        QVERIFY(model::validate(experiment).empty());
        experiment.whatIf.slow = "replica=1:1.5";
        QCOMPARE(model::validate(experiment).front().field, std::string("parallel.zero2"));
    }
};

STAGELENS_TEST(SimulateReplicaCosts)

} // namespace unit_simulate_replica_costs

#include "simulate/replica_costs.moc"
